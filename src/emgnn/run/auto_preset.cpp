// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/auto_preset.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/formats/checksum.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/folder_identity.h>
#include <emgnn/run/load.h>
#include <emgnn/run/manifest.h>
#include <emgnn/run/presets.h>
#include <emgnn/run/trial.h>
#include <emgnn/run/trial_plan.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::map<std::string, std::string>;

constexpr uint64_t kTrialSeed = 271828;  // of no run in particular

RunRequest with_setting(RunRequest request, const std::string& key, const std::string& value) {
  request.config.layers.push_back(
      {.name = "preset " + value, .toml = "", .assignments = {key + "=" + value}});
  return request;
}

// The settings that the network itself has in common with its form on one graph.
bool is_shared(const std::string& key) {
  for (const char* part : {"model.", "optim.", "data.", "task", "agreement.", "split", "perturb"})
    if (key.starts_with(part)) return true;
  return key == "space.normalisation";
}

// One learner, never validated while it is trained; over graphs the same network on the graph as given.
RunConfig trial_config(const ConfigRequest& request, const RunConfig& run) {
  const MethodInfo& method = method_info(request.method);
  const Values values = run.values();
  ConfigRequest one = request;
  if (method.em) one = {request.dataset, method.plain, {}};
  RunConfig out(one.method, one.dataset, "", run.preset.name);
  Values own = values;
  if (method.em) {
    std::erase_if(own, [](const auto& entry) { return !is_shared(entry.first); });
    const auto whole = [&](const char* key) { return std::stoll(values.at(key)); };
    own["fit.epochs"] = std::to_string(whole("em.warmup") + whole("em.rounds") * whole("em.steps"));
  }
  const Values fixed = {
      {"ensemble", "1"}, {"calibrate", "none"}, {"stop.rule", "never"}, {"stop.every", "1000000"}};
  for (const auto& [key, value] : fixed) own.insert_or_assign(key, value);
  out.read_stored(own);
  return out;
}

struct Candidate {
  std::string preset;
  RunConfig run, trial;
  std::shared_ptr<const Data> data;
};

class Chooser {
 public:
  Chooser(const RunRequest& request, RunsObserver& observer)
      : request_(request), observer_(observer) {}

  RunRequest choose() {
    observer_.on_phase({"choosing a preset", false});
    const std::shared_ptr<const Data> data = load(resolve(request_.config));
    if (data->kind() == DataKind::kMolecules)
      return take("molecules", Json(), "the data is molecules");
    facts_ = graph_facts(*data->graph());
    make_candidates();
    record_["preset"] = "";
    record_["why"] = "";
    record_["identity"] = identity();
    if (const std::optional<Json> earlier = earlier_record())
      return with_record(earlier->at("preset").get<std::string>(), earlier->dump(2) + "\n");
    const std::string why = compare();
    return take(best_, record_, why);
  }

 private:
  std::shared_ptr<const Data> load(const RunConfig& config) const {
    return DataSource({.dataset = request_.config.dataset,
                       .data_dir = request_.data_dir,
                       .options = config.data,
                       .seed = request_.seed})
        .load(0, [&](const MoleculeProgress& progress) { return observer_.on_molecule(progress); });
  }

  void make_candidates() {
    std::set<Values> seen;
    for (const std::string& preset : candidate_presets(facts_)) {
      RunConfig run = resolve(with_setting(request_, kPresetKey, preset).config);
      const std::shared_ptr<const Data> data = load(run);
      run.narrow(facts_of(*data));
      RunConfig trial = trial_config(request_.config, run);
      trial.narrow(facts_of(*data));
      Values values = run.values();
      values.erase(kPresetKey);
      if (!seen.insert(values).second) continue;  // the method reads nothing that tells them apart
      candidates_.push_back({preset, std::move(run), std::move(trial), data});
    }
  }

  // What the choice depends on.
  std::string identity() const {
    Json all = {{"method", request_.config.method}, {"share", kTrialShare}};
    for (const Candidate& c : candidates_)
      all[c.preset] = {{"data", fingerprint(*c.data)}, {"settings", c.run.values()}};
    return sha256_hex(all.dump());
  }

  std::optional<Json> earlier_record() const {
    if (!request_.out) return std::nullopt;
    RunFolder folder;
    folder.move_to(*request_.out);
    const auto text = folder.read(kPresetFile);
    if (!text) return std::nullopt;
    Json there = Json::parse(*text, nullptr, false);
    const bool same = there.is_object() && there.value("identity", "") == record_.at("identity") &&
                      is_preset(there.value("preset", ""));
    return same ? std::optional(std::move(there)) : std::nullopt;
  }

  // Leaves the best in best_; why it is.
  std::string compare() {
    best_ = candidates_.front().preset;
    record_["facts"] = in_words(facts_);
    std::vector<TrialCost> costs;
    for (const Candidate& c : candidates_)
      costs.push_back(cost_of(c.run.values(), c.trial.values(), facts_));
    const std::vector<Rung> rungs = plan_rungs(costs, kTrialShare);
    record_["rungs"] = Json::array();
    if (rungs.empty())
      return candidates_.size() == 1 ? "nothing else suits" : "the likeliest by the data";
    std::vector<Trial> trials;
    for (Candidate& c : candidates_)
      trials.emplace_back(c.preset, std::move(c.trial), c.data, kTrialSeed);
    std::string why;
    for (const Rung& rung : rungs) why = climb(rung, trials);
    best_ = trials.front().name();
    return why;
  }

  std::string climb(const Rung& rung, std::vector<Trial>& trials) {
    while (trials.size() > rung.candidates) trials.pop_back();
    for (Trial& trial : trials) {
      observer_.on_phase({"trying preset " + trial.name(), false});
      trial.train_until(rung.epochs, observer_);
    }
    std::stable_sort(trials.begin(), trials.end(),
                     [](const Trial& a, const Trial& b) { return a.is_better_than(b); });
    Json all = Json::array();
    std::vector<std::string> words;
    for (const Trial& t : trials) {
      all.push_back({{"preset", t.name()}, {t.info().name, t.score()}, {"loss", t.loss()}});
      words.push_back(
          fmt::format("{} {:.4g}", t.name(), t.info().percent ? 100.0 * t.score() : t.score()));
    }
    record_["rungs"].push_back({{"epochs", rung.epochs}, {"trials", std::move(all)}});
    return fmt::format("validation {} after {} epochs: {}", trials.front().info().name, rung.epochs,
                       fmt::join(words, ", "));
  }

  RunRequest take(const std::string& preset, Json record, const std::string& why) {
    observer_.on_note(fmt::format("preset {} (auto): {}; {}", preset, in_words(facts_), why));
    if (record.is_null()) return with_record(preset, "");
    record["preset"] = preset;
    record["why"] = why;
    return with_record(preset, record.dump(2) + "\n");
  }

  RunRequest with_record(const std::string& preset, std::string record) const {
    RunRequest out = with_setting(request_, kPresetKey, preset);
    out.preset_record = std::move(record);
    return out;
  }

  const RunRequest& request_;
  RunsObserver& observer_;
  GraphFacts facts_;
  std::vector<Candidate> candidates_;
  std::string best_;
  Json record_;
};

// A folder of a version that had no presets holds a run without one.
bool is_of_before(const RunRequest& request) {
  if (!request.out) return false;
  RunFolder folder;
  folder.move_to(*request.out);
  const auto text = folder.read(kConfigFile);
  if (!text) return false;
  try {
    const std::vector<Assignment> all =
        parse_assignments(*text, folder.name_of(kConfigFile), request.config.method);
    return std::none_of(all.begin(), all.end(),
                        [](const Assignment& a) { return a.key == kPresetKey; });
  } catch (const UsageError&) {
    return false;  // damaged: the run itself says so
  }
}

}  // namespace

std::vector<std::string> candidate_presets(const GraphFacts& facts) {
  constexpr double kAlike = 0.6, kApart = 0.25;
  constexpr int64_t kEnoughLabels = 200;  // fewer are learned by heart by three wide layers
  constexpr int64_t kManyLabels = 300;    // ... by a deep network
  constexpr double kFarther = 0.03;       // in accuracy
  constexpr double kFewNeighbours = 4.0;  // more reach many nodes in few steps
  const std::vector<double>& after = facts.accuracy_after;
  const bool known = !after.empty();
  const bool alike =
      (facts.homophily && *facts.homophily >= kAlike) && !(known && after[0] >= after[1]);
  const bool apart =
      (facts.homophily && *facts.homophily < kApart) && !(known && after[1] > after[0] + kFarther);
  const bool far = known && facts.mean_degree < kFewNeighbours &&
                   after[3] > std::max(after[1], after[2]) + kFarther;
  std::vector<std::string> out;
  if (facts.num_edge_types > 1) out.emplace_back("heterogeneous");
  if (apart) out.emplace_back("web");
  // Numbers are not scaled to sum 1 like counts of words.
  if (!apart && facts.features != FeatureKind::kDense) out.emplace_back("citation");
  out.emplace_back("plain");
  if (facts.num_train >= kEnoughLabels) out.emplace_back("dense");
  if (!apart && !alike) out.emplace_back("web");
  // A deep network learns too slowly for a short comparison: it is taken where nodes far away matter.
  if (facts.num_train >= kManyLabels && far) return {"deep"};
  return out;
}

RunRequest with_preset(const RunRequest& request, RunsObserver& observer) {
  if (resolve(request.config).preset.name != kAutoPreset) return request;
  if (is_of_before(request)) return with_setting(request, kPresetKey, kNoPreset);
  return Chooser(request, observer).choose();
}

}  // namespace emgnn
