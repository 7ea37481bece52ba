// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/train_runs.h>

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/em/checkpoint.h>
#include <emgnn/em/stored_model.h>
#include <emgnn/report/manifest.h>
#include <emgnn/report/run_files.h>
#include <emgnn/report/run_folder.h>
#include <emgnn/report/run_recorder.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kConfigFile = "config.toml";
constexpr const char* kManifestFile = "manifest.json";
constexpr const char* kResultsFile = "results.json";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// What a folder belongs to. Also the first part of its manifest.
Json identity_json(const RunRequest& request, uint64_t seed, bool several) {
  return {{"dataset", request.dataset},
          {"method", request.method},
          {"seed", seed},
          {"runs", several ? "one folder per seed" : "one"}};
}

void refuse(const std::string& file, const std::string& key, const std::string& there,
            const std::string& here) {
  if (there == here) return;
  throw UsageError(fmt::format(
      "{}: the folder holds another run: {} is {} there and {} here; choose another --out", file,
      key, there, here));
}

void check_same_config(const RunFolder& folder, const RunConfig& config) {
  const auto text = folder.read(kConfigFile);
  if (!text) return;
  RunConfig there;
  read_toml(there, *text, folder.name_of(kConfigFile));
  const std::vector<ConfigEntry> expected = entries(config), found = entries(there);
  for (size_t i = 0; i < expected.size(); ++i) {
    refuse(folder.name_of(kConfigFile), expected[i].key, found[i].value, expected[i].value);
  }
}

void check_same_identity(const RunFolder& folder, const Json& identity) {
  const auto text = folder.read(kManifestFile);
  if (!text) return;
  const std::string file = folder.name_of(kManifestFile);
  const Json there = Json::parse(*text, nullptr, false);
  for (const auto& [key, value] : identity.items()) {
    if (!there.is_object() || !there.contains(key))
      throw DataError(fmt::format("{}: {} is missing", file, key));
    refuse(file, key, there[key].dump(), value.dump());
  }
}

// A finished run of data that has changed since is not this run.
void check_same_data(const RunFolder& folder, const RunData& data) {
  const auto text = folder.read(kManifestFile);
  const Json there = text ? Json::parse(*text, nullptr, false) : Json();
  const std::string file = folder.name_of(kManifestFile);
  if (!there.is_object() || !there.contains("data") || !there["data"].contains("sha256"))
    throw DataError(fmt::format("{}: data.sha256 is missing", file));
  refuse(file, "data.sha256", there["data"]["sha256"].dump(), Json(data.fingerprint()).dump());
}

std::vector<WeightedPoint> weighted_points(const ParameterSpace& space,
                                           const Posterior& posterior) {
  std::vector<WeightedPoint> out;
  for (size_t i = 0; i < posterior.lam_ids().size(); ++i) {
    out.push_back({space.point(posterior.lam_ids()[i]), std::exp(posterior.log_probs()[i])});
  }
  return out;
}

RunRecord record_of(const TrainResult& result, const ParameterSpace& space,
                    const std::map<int64_t, McmcSummary>& sampled) {
  RunRecord run{.em_iterations = result.em_iterations,
                .stopped_early = result.stopped_early,
                .validation = result.validation,
                .test = result.test,
                .posterior = weighted_points(space, result.posterior)};
  for (const RoundInfo& r : result.rounds) {
    run.rounds.push_back({r.round, r.eta, r.normalizer_ratio, r.mean_loss, std::nullopt});
    if (const auto found = sampled.find(r.round); found != sampled.end())
      run.rounds.back().mcmc = found->second;
  }
  return run;
}

// All runs of a request and the folders of each.
class RunSet {
 public:
  RunSet(const RunRequest& request, RunsObserver& observer)
      : request_(request),
        observer_(observer),
        folders_(several() ? static_cast<size_t>(request.runs) : 0) {
    results_ = {.dataset = request.dataset, .method = request.method, .config = request.config};
    if (request.out) place(*request.out);
    check_folder(top_, identity_json(request, request.seed, several()));
  }

  Results train() {
    try {
      for (int64_t r = 0; r < request_.runs; ++r) add_run(r);
    } catch (const Interrupted&) {
      if (!request_.out) place(request_.rescue);
      throw;
    }
    if (several()) top_.write(kResultsFile, to_json(results_).dump(2) + "\n");
    return std::move(results_);
  }

 private:
  bool several() const { return request_.runs > 1; }
  uint64_t seed_of(int64_t run) const { return request_.seed + static_cast<uint64_t>(run); }
  RunFolder& folder_of(int64_t run) {
    return several() ? folders_[static_cast<size_t>(run)] : top_;
  }

  void place(const std::filesystem::path& path) {
    top_.move_to(path);
    for (int64_t r = 0; several() && r < request_.runs; ++r) {
      folder_of(r).move_to(path / fmt::format("seed-{}", seed_of(r)));
    }
  }

  void check_folder(const RunFolder& folder, const Json& identity) const {
    check_same_identity(folder, identity);
    check_same_config(folder, request_.config);
  }

  // Writes config.toml and manifest.json, or checks those that are there. The manifest of a run
  // that is about to be trained says which data it reads.
  void describe_folder(RunFolder& folder, uint64_t seed, bool all_runs, const RunData* data) {
    const Json identity = identity_json(request_, seed, all_runs);
    check_folder(folder, identity);
    folder.write(kConfigFile, to_toml(request_.config));
    if (data == nullptr && folder.read(kManifestFile)) return;
    Json manifest = identity;
    if (data != nullptr) manifest["data"] = data->describe();
    manifest["program"] = describe_program();
    folder.write(kManifestFile, manifest.dump(2) + "\n");
  }

  void add_run(int64_t r) {
    RunFolder& folder = folder_of(r);
    StoredRun stored;
    if (const auto text = folder.read(kResultsFile)) {
      check_same_data(folder, *load(r));
      stored = parse_single_run(*text, folder.name_of(kResultsFile));
    } else {
      observer_.on_run(r, seed_of(r));
      stored = train_one(r, folder);
    }
    results_.lambda_names = std::move(stored.lambda_names);
    results_.runs.push_back(std::move(stored.run));
  }

  std::unique_ptr<RunData> load(int64_t r) {
    const bool first = !source_;
    if (first) source_ = request_.open();
    std::unique_ptr<RunData> data = source_->load(
        r, [&](const MoleculeProgress& progress) { return observer_.on_molecule(progress); });
    if (const std::string note = source_->note(); first && !note.empty()) observer_.on_note(note);
    return data;
  }

  StoredRun train_one(int64_t r, RunFolder& folder) {
    const uint64_t seed = seed_of(r);
    const Clock::time_point start = Clock::now();
    const std::unique_ptr<RunData> data = load(r);
    const std::unique_ptr<Experiment> experiment = data->experiment(seed);
    const double prepare_seconds = seconds_since(start);

    const RunIdentity identity{.dataset = request_.dataset,
                               .data_sha256 = data->fingerprint(),
                               .method = request_.method,
                               .config = to_toml(request_.config),
                               .seed = seed};
    // Only now: a call that fails on its data or settings can be mended and repeated.
    if (several()) describe_folder(top_, request_.seed, true, nullptr);
    describe_folder(folder, seed, false, data.get());
    Checkpoint checkpoint;
    if (const auto bytes = folder.read(kCheckpointFile)) {
      checkpoint = decode_checkpoint(*bytes, folder.name_of(kCheckpointFile), experiment->network(),
                                     identity);
      experiment->trainer().resume(checkpoint.state);
    }
    RunRecorder recorder(folder, {experiment->space(), experiment->network(), identity}, observer_,
                         checkpoint.state.step, checkpoint.seconds);
    const TrainResult result = experiment->trainer().run(recorder);

    StoredRun out{.lambda_names = experiment->space().coordinate_names(),
                  .run = record_of(result, experiment->space(), recorder.sampled_rounds())};
    out.run.seed = seed;
    out.run.seconds = recorder.seconds();
    out.run.prepare_seconds = prepare_seconds;
    out.run.peak_rss_mb = peak_rss_mb();
    folder.write("posterior.csv", posterior_csv(out.lambda_names, out.run.posterior));
    data->write_files(folder, *experiment, result);
    StoredModel model{.run = identity,
                      .weights = weights_of(experiment->network()),
                      .posterior = result.posterior};
    data->describe_model(model);
    folder.write(kModelFile, encode_model(model));
    // Last: with it the run counts as finished.
    const Results alone{
        request_.dataset, request_.method, request_.config, out.lambda_names, {out.run}};
    folder.write(kResultsFile, to_json(alone).dump(2) + "\n");
    return out;
  }

  const RunRequest& request_;
  RunsObserver& observer_;
  RunFolder top_;
  std::unique_ptr<RunSource> source_;
  std::vector<RunFolder> folders_;  // of the runs, when there are several
  Results results_;
};

}  // namespace

Results train_runs(const RunRequest& request, RunsObserver& observer) {
  EMGNN_CHECK(request.runs >= 1, "the number of runs must be at least 1", request.runs);
  return RunSet(request, observer).train();
}

}  // namespace emgnn
