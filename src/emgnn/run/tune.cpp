// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/tune.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/learn/spread_scores.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/load.h>
#include <emgnn/run/run_folder.h>
#include <emgnn/run/same_run.h>
#include <emgnn/run/setting_names.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int64_t kMostTrials = 10'000;
constexpr int64_t kHalvingFactor = 3;  // a third of the trials is trained three times as long
constexpr const char* kSearchFile = "tune.json";
constexpr const char* kTrialsFile = "trials.json";

ScoreInfo info_of(const std::string& score) {
  for (const auto all :
       {class_score_info(), label_score_info(), value_score_info(), spread_score_info()})
    for (const ScoreInfo& info : all)
      if (info.name == score) return info;
  throw UsageError(fmt::format("--score: there is no score {:?}", score));
}

class Tuner {
 public:
  Tuner(const TuneRequest& request, const ResolveSettings& resolve, const RunJobs& run_jobs)
      : request_(request), space_(request.space, request.space_file), run_jobs_(run_jobs) {
    const SearchKind kind = search_kind(request.search);
    length_key_ = method_info(request.config.method).em ? "em.rounds" : "fit.epochs";
    check_names();
    if (!request.score.empty()) info_ = info_of(request.score);
    make_trials(kind);
    if (kind == SearchKind::kHalving) plan_rungs(resolve);
    for (const TuneTrial& trial : trials_) check_settings(trial, resolve);
    open_folder();
  }

  TuneResult run() {
    try {
      return climb_all();
    } catch (const UsageError&) {
      forget_unless_trained();
      throw;
    } catch (const DataError&) {
      forget_unless_trained();
      throw;
    }
  }

 private:
  void check_names() const {
    const ConfigRequest& config = request_.config;
    const DataKind kind = kind_of(config.dataset);
    const std::vector<std::string> known = setting_names(config.method, kind);
    for (const SearchKey& key : space_.keys())
      if (std::find(known.begin(), known.end(), key.key) == known.end())
        throw unknown_setting(key.key, config.method, kind, key.where);
  }

  void plan_rungs(const ResolveSettings& resolve) {
    if (space_.has(length_key_))
      throw UsageError(
          fmt::format("{} is what halving shortens: it cannot be searched as well", length_key_));
    const auto values = resolve({});
    const auto length = values.find(length_key_);
    if (length == values.end())
      throw UsageError(fmt::format("--search halving shortens {}, which {} does not read",
                                   length_key_, request_.config.method));
    length_ = std::stoll(length->second);
    for (auto n = static_cast<int64_t>(trials_.size()); n >= kHalvingFactor; n /= kHalvingFactor)
      ++rungs_;
  }

  static void check_settings(const TuneTrial& trial, const ResolveSettings& resolve) {
    try {
      resolve(trial.settings);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("trial {}: {}", trial.trial, error.what()));
    }
  }

  void open_folder() {
    std::error_code error;
    made_folder_ = !fs::exists(request_.out, error);
    lock_.emplace(request_.out);
    folder_.move_to(request_.out);
    check_same_search();
  }

  // What a trial writes beside that of others.
  fs::path folder_of(const TuneTrial& trial, int64_t rung) const {
    return request_.out / fmt::format("trial-{:04}{}", trial.trial,
                                      rungs_ > 0 ? fmt::format("-rung-{}", rung) : "");
  }

  void check_holds_no_run() const {
    std::error_code error;
    const auto refuse_if_there = [&](const fs::path& file) {
      if (fs::exists(file, error))
        throw UsageError(fmt::format(
            "{}: the folder holds a run, not a search; choose another --out", file.string()));
    };
    refuse_if_there(request_.out / kConfigFile);
    refuse_if_there(request_.out / kManifestFile);
    for (const TuneTrial& trial : trials_) refuse_if_there(folder_of(trial, 0));
  }

  void check_same_search() {
    Json settings = Json::array();
    for (const SettingLayer& layer : request_.config.layers) {
      if (!layer.toml.empty()) settings.push_back(layer.toml);
      for (const std::string& assignment : layer.assignments) settings.push_back(assignment);
    }
    const Json here = {{"dataset", lasting_name(request_.config.dataset)},
                       {"method", request_.config.method},
                       {"settings", settings},
                       {"space", request_.space},
                       {"search", request_.search},
                       {"seed", request_.seed},
                       {"runs", request_.runs}};
    if (const auto text = folder_.read(kSearchFile)) {
      const Json there = Json::parse(*text, nullptr, false);
      for (const auto& [key, value] : here.items()) {
        if (there.is_object() && there.value(key, Json()) == value) continue;
        throw UsageError(
            fmt::format("{}: the folder holds another search: its {} differs; choose "
                        "another --out",
                        folder_.name_of(kSearchFile), key));
      }
    } else {
      check_holds_no_run();
      new_search_ = true;
    }
    folder_.write(kSearchFile, here.dump(2) + "\n");
  }

  void make_trials(SearchKind kind) {
    std::vector<SearchPoint> points;
    if (kind == SearchKind::kGrid) {
      points = space_.grid(kMostTrials);
    } else {
      EMGNN_CHECK(request_.trials >= 1 && request_.trials <= kMostTrials,
                  fmt::format("--trials must be 1 to {}", kMostTrials), request_.trials);
      std::set<SearchPoint> seen;  // a small space has fewer points than trials
      const auto most = static_cast<uint64_t>(request_.trials) * 20;
      for (uint64_t k = 0; k < most && std::ssize(points) < request_.trials; ++k) {
        SearchPoint point = space_.draw(request_.seed, k);
        if (seen.insert(point).second) points.push_back(std::move(point));
      }
    }
    for (const SearchPoint& point : points)
      trials_.push_back({.trial = std::ssize(trials_) + 1, .settings = space_.assignments(point)});
  }

  TuneResult climb_all() {
    for (int64_t rung = 0; rung <= rungs_; ++rung) {
      climb(rung);
      sort_trials();
      write_record();
    }
    if (!trials_.front().score)
      throw Error(fmt::format("{}: no trial succeeded; the reasons are in trial-*.log there",
                              request_.out.string()));
    write_best();
    return {.score = info_, .trials = trials_};
  }

  // All take part in the first rung, the best third of them in the next.
  void climb(int64_t rung) {
    size_t count = trials_.size();
    for (int64_t r = 0; r < rung; ++r) count /= kHalvingFactor;
    std::vector<TuneJob> jobs;
    for (size_t i = 0; i < count; ++i) {
      TuneTrial& trial = trials_[i];
      trial.rung = rung;
      trial.folder = folder_of(trial, rung);
      TuneJob job{.trial = trial.trial,
                  .settings = trial.settings,
                  .folder = trial.folder,
                  .log = trial.folder.string() + ".log"};
      if (rungs_ > 0) {
        int64_t length = length_;
        for (int64_t r = rung; r < rungs_; ++r) length /= kHalvingFactor;
        job.settings.push_back(fmt::format("{}={}", length_key_, std::max<int64_t>(1, length)));
      }
      jobs.push_back(std::move(job));
    }
    jobs_.insert(jobs_.end(), jobs.begin(), jobs.end());
    run_jobs_(jobs);
    for (size_t i = 0; i < count; ++i) read_results(trials_[i]);
  }

  // A corrected search finds the folder as if this one had never been. Of several runs of a trial one
  // may be finished before the results of all are there.
  void forget_unless_trained() {
    std::error_code ignored;
    const auto has_trained = [&](const TuneJob& job) {
      for (const auto& entry : fs::recursive_directory_iterator(job.folder, ignored))
        if (entry.path().filename() == kCheckpointFolder || entry.path().filename() == kResultsFile)
          return true;
      return false;
    };
    if (!new_search_ || std::any_of(jobs_.begin(), jobs_.end(), has_trained)) return;
    for (const TuneJob& job : jobs_) {
      fs::remove_all(job.folder, ignored);
      fs::remove(job.log, ignored);
    }
    for (const char* file : {kTrialsFile, kSearchFile}) fs::remove(request_.out / file, ignored);
    if (made_folder_) fs::remove(request_.out, ignored);
  }

  void read_results(TuneTrial& trial) {
    RunFolder folder;
    folder.move_to(trial.folder);
    const auto text = folder.read(kResultsFile);
    trial.score.reset();
    if (!text) return;
    const Json json = Json::parse(*text, nullptr, false);
    const Json scores = json.is_object() ? json.value("mean", Json()) : Json();
    if (!scores.is_object() || scores.empty())
      throw DataError(folder.name_of(kResultsFile) + ": damaged: not the results of a run");
    if (info_.name.empty()) info_ = info_of(scores.begin().key());
    if (!scores.contains(info_.name))
      throw UsageError(fmt::format("--score: {} is no score of this task", info_.name));
    if (scores[info_.name].is_number()) trial.score = scores[info_.name].get<double>();
    for (const Json& run : json.value("runs", Json::array()))
      trial.seconds += run.value("seconds", 0.0);
  }

  // Those that came further first; whoever failed last.
  void sort_trials() {
    const auto key = [&](const TuneTrial& t) {
      const double sign = info_.higher_is_better ? -1.0 : 1.0;
      return std::tuple(!t.score, -t.rung, t.score ? sign * *t.score : 0.0, t.trial);
    };
    std::stable_sort(trials_.begin(), trials_.end(),
                     [&](const TuneTrial& a, const TuneTrial& b) { return key(a) < key(b); });
  }

  void write_record() {
    folder_.write(kTrialsFile, to_json(TuneResult{info_, trials_}).dump(2) + "\n");
  }

  void write_best() {
    const TuneTrial& best = trials_.front();
    RunFolder folder;
    folder.move_to(best.folder);
    const auto config = folder.read("config.toml");
    if (!config) throw DataError(folder.name_of("config.toml") + ": is missing");
    folder_.write("best.toml", fmt::format("# Trial {} of {}: validation {} {:.6g} with {}\n{}",
                                           best.trial, trials_.size(), info_.name, *best.score,
                                           fmt::join(best.settings, ", "), *config));
  }

  const TuneRequest& request_;
  SearchSpace space_;
  const RunJobs& run_jobs_;
  std::optional<FolderLock> lock_;
  RunFolder folder_;
  bool made_folder_ = false, new_search_ = false;
  std::string length_key_;
  int64_t length_ = 0, rungs_ = 0;
  ScoreInfo info_;
  std::vector<TuneTrial> trials_;
  std::vector<TuneJob> jobs_;  // of all rungs so far
};

}  // namespace

SearchKind search_kind(const std::string& word) {
  if (word == "random") return SearchKind::kRandom;
  if (word == "grid") return SearchKind::kGrid;
  if (word == "halving") return SearchKind::kHalving;
  throw UsageError(fmt::format("--search: expected random, grid or halving, got {:?}", word));
}

TuneResult tune(const TuneRequest& request, const ResolveSettings& resolve,
                const RunJobs& run_jobs) {
  return Tuner(request, resolve, run_jobs).run();
}

Json to_json(const TuneResult& result) {
  Json trials = Json::array();
  for (const TuneTrial& t : result.trials) {
    Json settings = Json::object();
    for (const std::string& s : t.settings)
      settings[s.substr(0, s.find('='))] = s.substr(s.find('=') + 1);
    trials.push_back({{"trial", t.trial},
                      {"settings", settings},
                      {"rung", t.rung},
                      {"validation", t.score ? Json(*t.score) : Json()},
                      {"folder", t.folder.filename().string()}});
  }
  return {{"score", result.score.name},
          {"higher_is_better", result.score.higher_is_better},
          {"trials", trials}};
}

std::string to_text(const TuneResult& result, int64_t most) {
  const auto value = [&](double score) {
    return result.score.percent ? fmt::format("{:.2f}", 100.0 * score)
                                : fmt::format("{:.5g}", score);
  };
  std::string out = fmt::format("trial  validation {}{}  seconds  settings\n", result.score.name,
                                result.score.percent ? " in %" : "");
  const size_t width = out.find("  seconds") - 7;
  for (const TuneTrial& t : result.trials) {
    if (most-- == 0) break;
    out += fmt::format("{:5}  {:>{}}  {:7.1f}  {}\n", t.trial, t.score ? value(*t.score) : "failed",
                       width, t.seconds, fmt::join(t.settings, " "));
  }
  return out;
}

}  // namespace emgnn
