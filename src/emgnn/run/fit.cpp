// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/fit.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/utf8.h>
#include <emgnn/run/auto_preset.h>
#include <emgnn/run/config.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/conformal.h>
#include <emgnn/run/edge_auc.h>
#include <emgnn/run/edge_table.h>
#include <emgnn/run/evaluate.h>
#include <emgnn/run/folder_identity.h>
#include <emgnn/run/graph_rank.h>
#include <emgnn/run/load.h>
#include <emgnn/run/manifest.h>
#include <emgnn/run/model_file.h>
#include <emgnn/run/plan.h>
#include <emgnn/run/predictions.h>
#include <emgnn/run/run_folder.h>
#include <emgnn/run/run_recorder.h>
#include <emgnn/run/stored_request.h>
#include <emgnn/space/views.h>

namespace emgnn {

namespace {

// What "auto" stands for depends on the data, and the model's distribution is over those views.
std::map<std::string, std::string> stored_settings(const RunConfig& config, const Data& data) {
  std::map<std::string, std::string> out = config.values();
  const auto views = out.find("space.views");
  if (views != out.end() && views->second == kAutoViews && data.kind() == DataKind::kGraph)
    views->second = out["space.mixing"] == "degree" ? kGivenViews : automatic_views(*data.graph());
  return out;
}

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The files of a run are JSON: what tells it from others must be text.
void check_text(const RunRequest& request, const RunConfig& config) {
  const auto check = [](const std::string& key, const std::string& value) {
    if (first_invalid_utf8(value)) throw UsageError(fmt::format("{}: not UTF-8: {:?}", key, value));
  };
  check("the name of the dataset", lasting_name(request.config.dataset));
  for (const auto& [key, value] : config.values()) check(key, value);
}

// Whoever has seen one class only answers with it, and may be right every time.
void check_several_classes(const Data& data) {
  const Labels& labels = data.labels();
  if (labels.kind != LabelKind::kClasses) return;
  std::set<int32_t> seen;
  for (int32_t row : data.split().train) seen.insert(labels.cls[static_cast<size_t>(row)]);
  if (seen.size() != 1) return;
  throw DataError(fmt::format("{}: nothing to learn: all {} training rows are of class {:?}",
                              data.name(), data.split().train.size(),
                              labels.names[static_cast<size_t>(*seen.begin())]));
}

// All runs of a request and the folders of each.
class RunSet {
 public:
  RunSet(const RunRequest& request, RunsObserver& observer)
      : request_(request),
        observer_(observer),
        config_(resolve(request.config)),
        source_({.dataset = request.config.dataset,
                 .data_dir = request.data_dir,
                 .options = config_.data,
                 .seed = request.seed}),
        folders_(several() ? static_cast<size_t>(request.runs) : 0) {
    results_.dataset = called(request);
    results_.method = request.config.method;
    check_text(request, config_);
    if (request.out) {
      lock_ = std::make_unique<FolderLock>(*request.out);
      place(*request.out);
    }
    check_folder(top_, identity_json(request.config, request.seed, several()));
    if (!request.preset_record.empty()) top_.write(kPresetFile, request.preset_record);
  }

  Results fit() {
    try {
      for (int64_t r = 0; r < request_.runs; ++r) add_run(r);
    } catch (const Interrupted& stop) {
      if (!request_.out) rescue(stop);
      throw;
    }
    results_.config = config_.entries();
    if (const std::string warned = sampling_warning(results_.runs); !warned.empty())
      observer_.on_note(warned);
    if (several()) top_.write(kResultsFile, to_json(results_).dump(2) + "\n");
    return std::move(results_);
  }

 private:
  bool several() const { return has_seed_folders(request_); }
  uint64_t seed_of(int64_t run) const { return request_.seed + static_cast<uint64_t>(run); }
  RunFolder& folder_of(int64_t run) {
    return several() ? folders_[static_cast<size_t>(run)] : top_;
  }

  void place(const std::filesystem::path& path) {
    top_.move_to(path);
    for (int64_t r = 0; several() && r < request_.runs; ++r) {
      folder_of(r).move_to(folder_of_run(path, request_, r));
    }
  }

  // What is half written is worth nothing; the user learns that the run is lost, and why.
  void rescue(const Interrupted& stop) {
    std::error_code ignored;
    const bool was_there = std::filesystem::exists(request_.rescue, ignored);
    try {
      place(request_.rescue);
    } catch (const Error& error) {
      if (!was_there) std::filesystem::remove_all(request_.rescue, ignored);
      throw Interrupted(fmt::format("{}; the run is lost: {}", stop.what(), error.what()));
    }
  }

  // Something would be lost or mixed up if another configuration went on in the folder.
  bool holds_work(const RunFolder& folder) const {
    const auto has = [](const RunFolder& f) {
      return f.read(kResultsFile) || f.read(kCheckpointFile);
    };
    if (has(folder)) return true;
    return &folder == &top_ && std::any_of(folders_.begin(), folders_.end(), has);
  }

  void check_folder(const RunFolder& folder, const Json& identity) const {
    check_same_identity(folder, identity);
    if (holds_work(folder)) check_same_config(folder, config_, request_.config.method);
  }

  // Writes config.toml and manifest.json, or checks those that are there. The manifest of a run
  // that is about to be trained says which data it reads.
  void describe_folder(RunFolder& folder, uint64_t seed, bool all_runs, const Data* data) {
    const Json identity = identity_json(request_.config, seed, all_runs);
    check_folder(folder, identity);
    const StoredRun run{lasting_name(request_.config.dataset), request_.config.method};
    folder.write(kConfigFile, config_.to_toml() + to_toml(run));
    const Json call = call_json(request_, all_runs);
    if (data == nullptr && folder.read(kManifestFile))
      return add_to_manifest(folder, kCallEntry, call);  // there may be more runs than before
    Json manifest = identity;
    manifest[kCallEntry] = call;
    if (data != nullptr) manifest["data"] = describe_data(*data);
    manifest["program"] = describe_program(request_.context);
    folder.write(kManifestFile, manifest.dump(2) + "\n");
  }

  void add_run(int64_t r) {
    RunFolder& folder = folder_of(r);
    if (const auto text = folder.read(kResultsFile)) {
      const std::shared_ptr<const Data> data = load(r);
      check_same_data(folder, *data);
      results_.runs.push_back(finished_run(*text, folder));
      return;
    }
    observer_.on_run(r, seed_of(r));
    results_.runs.push_back(fit_one(r, folder));
  }

  RunRecord finished_run(const std::string& text, const RunFolder& folder) const {
    const std::string file = folder.name_of(kResultsFile);
    RunRecord run = parse_single_run(text, file);
    if (request_.hide_test) {
      run.test.reset();
      run.graph_rank.reset();
    }
    if (request_.rank_graphs && !run.graph_rank) {
      throw UsageError(fmt::format(
          "{}: the run was made without comparing its graphs; choose another --out", file));
    }
    if (request_.hide_test || run.test) return run;
    throw UsageError(fmt::format(
        "{}: the run was made without test scores: add --hide-test, or see emgnn evaluate", file));
  }

  // Runs that are finished and not on the disk are lost with the process.
  void preparing(int64_t r, const std::string& what) {
    observer_.on_phase({what, r > 0 && !request_.out});
  }

  std::shared_ptr<const Data> load(int64_t r) {
    preparing(r, "reading " + request_.config.dataset);
    std::shared_ptr<const Data> data = source_.load(
        r, [&](const MoleculeProgress& progress) { return observer_.on_molecule(progress); });
    if (!narrowed_) {
      for (const std::string& note : source_.notes()) observer_.on_note(note);
      config_.narrow(facts_of(*data));
      narrowed_ = true;
    }
    if (!prepared_ || source_.graphs_differ()) prepared_ = std::make_shared<Prepared>();
    const std::shared_ptr<Task> task = make_task(data->labels(), {}, {});
    results_.scores.assign(task->scores().begin(), task->scores().end());
    return data;
  }

  std::shared_ptr<Learner> prepare(int64_t r, const std::shared_ptr<const Data>& data) {
    preparing(r, "preparing the graphs");
    std::shared_ptr<Learner> learner =
        config_.learner({.data = data,
                         .prepared = prepared_,
                         .seed = seed_of(r),
                         .on_phase = [&](const std::string& what) { preparing(r, what); }});
    for (const std::string& note : std::exchange(prepared_->notes, {})) observer_.on_note(note);
    if (r == 0)
      for (const std::string& note : learner->notes()) observer_.on_note(note);
    return learner;
  }

  RunRecord fit_one(int64_t r, RunFolder& folder) {
    const uint64_t seed = seed_of(r);
    const Clock::time_point start = Clock::now();
    const std::shared_ptr<const Data> data = load(r);
    check_names(*data);
    check_several_classes(*data);
    const std::shared_ptr<Learner> learner = prepare(r, data);
    const double prepare_seconds = seconds_since(start);
    const RunIdentity identity = {{"dataset", lasting_name(request_.config.dataset)},
                                  {"data_sha256", fingerprint(*data)},
                                  {"method", request_.config.method},
                                  {"config", Json(config_.values()).dump()},
                                  {"seed", std::to_string(seed)}};
    check_folder(folder, identity_json(request_.config, seed, false));
    const auto resumed = resume(folder, identity, *learner);
    // Only now: a call that fails on its data or settings can be mended and repeated.
    if (several()) describe_folder(top_, request_.seed, true, nullptr);
    describe_folder(folder, seed, false, data.get());
    const std::shared_ptr<const Task> task = task_of(*learner, *data);
    RunRecorder recorder(
        folder, identity, observer_,
        {.main_score = task->main_score(), .checkpoint_period = request_.checkpoint_period},
        resumed.value_or(RunRecorder::Start{}));
    observer_.on_phase({"training", true});
    learner->fit(recorder);
    const Poll poll = poll_after_training(recorder, *learner);
    observer_.on_phase({"predicting", true});
    const Prediction prediction = after_training(
        *learner, recorder, [&] { return learner->predict(data->predicted_rows(), poll); });
    observer_.on_phase({"scoring", true});
    FamilyReport report =
        after_training(*learner, recorder, [&] { return learner->graph_report(); });
    RunRecord run = record(*data, *task, *learner, prediction);
    if (const auto& graph = data->graph())
      run.edge_auc = edge_auc(report.edges, graph->graph, graph->perturbation);
    run.seed = seed;
    run.seconds = recorder.seconds();
    run.prepare_seconds = prepare_seconds;
    run.peak_rss_mb = peak_rss_mb();
    if (request_.rank_graphs)
      run.graph_rank = after_training(*learner, recorder,
                                      [&] { return rank_graphs(*learner, *data, *task, poll); });
    after_training(*learner, recorder, [&] {
      write_tables(folder, std::move(report.tables));
      write_files(folder, *data, *learner, prediction, run);
    });
    return run;
  }

  // Once in a long time of predicting it is worth while to keep what was trained.
  Poll poll_after_training(RunRecorder& recorder, Learner& learner) const {
    return [this, &recorder, &learner, kept = std::make_shared<bool>(false)] {
      const bool stop = observer_.stop_requested();
      if (stop || (!*kept && recorder.checkpoint_due())) {
        recorder.on_checkpoint(learner);
        *kept = true;
      }
      if (stop) throw Interrupted("interrupted after training");
    };
  }

  // Large products and tables stop by themselves, without the checkpoint that a poll makes.
  template <class Work>
  static std::invoke_result_t<Work> after_training(Learner& learner, RunRecorder& recorder,
                                                   const Work& work) {
    try {
      return work();
    } catch (const Interrupted&) {
      recorder.on_checkpoint(learner);
      throw Interrupted("interrupted after training");
    }
  }

  void write_tables(RunFolder& folder, std::vector<FamilyTable> tables) const {
    for (FamilyTable& table : tables) {
      if (is_edge_table(table.file) && !request_.all_edges) {
        CutTable cut = cut_edge_table(std::move(table.csv), kMostEdgeRows);
        if (cut.kept < cut.rows) note_cut(folder, table.file, cut);
        table.csv = std::move(cut.csv);
      }
      folder.write(table.file, std::move(table.csv));
    }
  }

  void note_cut(RunFolder& folder, const std::string& file, const CutTable& cut) const {
    observer_.on_note(fmt::format(
        "{}: the {} most doubtful edges and most wanted candidates of {}; --all-edges writes all",
        file, cut.kept, cut.rows));
    add_to_manifest(folder, file, {{"rows", cut.rows}, {"kept", cut.kept}});
  }

  RunRecord record(const Data& data, const Task& task, const Learner& learner,
                   const Prediction& prediction) const {
    const auto score = [&](const std::vector<int32_t>& rows) {
      return task.score(at_rows(prediction, rows), Ranks::kCompute);
    };
    RunRecord run{.fit = learner.summary(),
                  .validation = score(data.split().validation),
                  .test = {},
                  .graphs = learner.graphs(),
                  .changed_by_graph = {}};
    if (run.graphs) run.changed_by_graph = task.changed_by_graph(prediction);
    std::vector<int32_t> scored = data.split().validation;
    if (!request_.hide_test) {
      run.test = score(data.split().test).scores;
      scored.insert(scored.end(), data.split().test.begin(), data.split().test.end());
    }
    run.one_answer = one_answer(data.labels(), prediction, scored);
    return run;
  }

  void write_files(RunFolder& folder, const Data& data, Learner& learner,
                   const Prediction& prediction, const RunRecord& run) {
    if (run.graphs && !run.graphs->names.empty())
      folder.write("posterior.csv", posterior_csv(*run.graphs));
    const TestLabels test = request_.hide_test ? TestLabels::kHide : TestLabels::kShow;
    folder.write(
        "predictions.csv",
        predictions_csv(data, prediction, {.test = test, .calibration = source_.calibration()}));
    if (data.table()) folder.write("rejects.csv", rejects_csv(data.table()->rejects));
    if (source_.graphs_differ())
      folder.write("perturbed_edges.csv", perturbed_edges_csv(*data.graph()));
    StateWriter state(StateVisitor::Scope::kModel);
    learner.visit_state(state);
    const std::vector<int32_t>& rows =
        source_.calibration().empty() ? data.split().validation : source_.calibration();
    store(calibration_scores(data, prediction, rows, run.seed), state.archive);
    folder.write(kModelFile, encode_model({.dataset = lasting_name(request_.config.dataset),
                                           .method = request_.config.method,
                                           .seed = run.seed,
                                           .config = stored_settings(config_, data),
                                           .data_sha256 = fingerprint(data),
                                           .schema = schema_of(data, learner.has_node_weights()),
                                           .archive = std::move(state.archive)}));
    // Last: with it the run counts as finished.
    const Results alone{
        results_.dataset, results_.method, config_.entries(), results_.scores, {run}};
    folder.write(kResultsFile, to_json(alone).dump(2) + "\n");
  }

  const RunRequest& request_;
  RunsObserver& observer_;
  RunConfig config_;
  bool narrowed_ = false;
  DataSource source_;
  std::shared_ptr<Prepared> prepared_;
  std::unique_ptr<FolderLock> lock_;
  RunFolder top_;
  std::vector<RunFolder> folders_;  // of the runs, when there are several
  Results results_;
};

}  // namespace

Results fit_runs(const RunRequest& request, RunsObserver& observer) {
  EMGNN_CHECK(request.runs >= 1, "the number of runs must be at least 1", request.runs);
  if (request.hide_test && request.rank_graphs)
    throw UsageError("--rank-graphs reads the test labels, which --hide-test hides");
  const Context::Scope scope(request.context);
  const RunRequest chosen = with_preset(request, observer);
  return RunSet(chosen, observer).fit();
}

}  // namespace emgnn
