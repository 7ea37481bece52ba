// SPDX-License-Identifier: Apache-2.0
// What the services of run/ are asked for, as plain values: the command line and other callers fill
// these.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/base/context.h>
#include <emgnn/data/featurise_all.h>
#include <emgnn/learn/bootstrap.h>
#include <emgnn/learn/group_scores.h>
#include <emgnn/learn/record.h>
#include <emgnn/run/conformal.h>

namespace emgnn {

// Settings over the shipped ones, weakest first.
struct SettingLayer {
  std::string name;                      // "--set", or the file's name
  std::string toml;                      // the text of a file, or
  std::vector<std::string> assignments;  // key=value
};

struct ConfigRequest {
  std::string dataset, method;
  std::vector<SettingLayer> layers;
};

// So much work is lost at most when the machine fails, or the time of a gradient step if that is more.
inline constexpr std::chrono::duration<double> kCheckpointPeriod{30.0};

struct RunRequest {
  ConfigRequest config;
  std::string called = {};  // what results call the dataset; empty: as config does
  std::filesystem::path data_dir;
  uint64_t seed = 0;  // run r has seed + r
  int64_t runs = 1;
  bool seed_folders = false;                 // a folder seed-S for each run, also for a single one
  std::optional<std::filesystem::path> out;  // none: nothing is written
  std::filesystem::path rescue;              // where an interrupted run without `out` is left
  bool hide_test = false;                    // test scores are neither computed nor kept
  bool rank_graphs = false;                  // RunRecord::graph_rank is computed
  bool all_edges = false;                    // edges.csv is not cut, however long it is
  std::chrono::duration<double> checkpoint_period = kCheckpointPeriod;
  std::string preset_record = {};  // how auto_preset.h chose the preset; empty: it did not
  Context context{};
};

// What is being worked on from now on.
struct Phase {
  std::string what;         // "reading my-graph"
  bool holds_work = false;  // the end of the process would lose something that is not on the disk
};

// Follows a series of runs.
class RunsObserver {
 public:
  virtual ~RunsObserver() = default;
  // Before each run that is trained; the others were found finished in the folder.
  virtual void on_run(int64_t /*run*/, uint64_t /*seed*/) {}
  virtual void on_note(const std::string& /*note*/) {}  // about the data, or what came of it
  virtual void on_phase(const Phase& /*phase*/) {}
  // While molecules are read, by one thread at a time; false stops (Interrupted).
  virtual bool on_molecule(const MoleculeProgress& /*progress*/) { return true; }
  virtual void on_round(const RoundRecord& /*round*/) {}
  virtual void on_epoch(const EpochRecord& /*epoch*/, const ScoreInfo& /*main*/) {}
  virtual bool stop_requested() { return false; }
};

// What a run would take on this machine.
struct RunPlan {
  double peak_mb = 0.0;  // of memory
  double seconds = 0.0;  // in all, if training is not stopped early
  double prepare_seconds = 0.0, epoch_seconds = 0.0, round_seconds = 0.0, predict_seconds = 0.0;
  int64_t epochs = 0, rounds = 0;  // at most
  int64_t measured_epochs = 0;
};

struct PredictRequest {
  std::filesystem::path run;                   // the folder of one finished run
  std::string dataset;                         // empty: the run's own
  std::filesystem::path data_dir;              // of named datasets; empty: default_data_dir()
  std::string smiles_column;                   // empty: the run's
  std::filesystem::path out = {};              // to be written: none of what is read or of a run
  MoleculeObserver on_molecule;                // while molecules are read
  std::function<void(const Phase&)> on_phase;  // as RunsObserver::on_phase
  std::function<void()> poll;                  // while the network runs; may throw
  Context context{};
  // Of prediction sets and intervals. None: predict makes none, evaluate tries kDefaultLevel.
  std::optional<double> level = {};
  SetForm sets = SetForm::kAps;
  BootstrapOptions bootstrap = {};  // of evaluate
};
inline constexpr double kDefaultLevel = 0.9;

struct PredictedTable {
  // Nodes: the columns of the run's predictions.csv. Molecules: row, smiles, what is predicted, and
  // rejected, the reason why a row has none; every record of the file is a row. With a level, sets or
  // intervals beside them.
  std::string csv;
  int64_t predicted = 0, rejected = 0;
  std::vector<std::string> notes;  // what the model does not know and left out
};

// The scores of a stored model on labelled data.
struct Evaluation {
  // One class, label or target.
  struct Group {
    std::string name;
    GroupScores scores;
    std::vector<ScoreInterval> intervals;
  };
  // Of prediction sets or intervals.
  struct Coverage {
    double covered = 0.0,
           size = 0.0;  // the share of right answers in them; their mean size or width
    std::vector<ScoreInterval> intervals;  // of "coverage" and "size"
  };
  struct Part {
    std::string name;  // train, validation, calibration, test, or all
    int64_t rows = 0;
    PartScores scores;
    std::vector<ScoreInterval> intervals;  // of the scores; empty: not asked for
    std::vector<Group> groups;             // none: a single target
    std::vector<ReliabilityBin> reliability;
    std::optional<Coverage> coverage;
  };
  std::string dataset, method;
  LabelKind kind = LabelKind::kNone;
  BootstrapOptions bootstrap;
  std::optional<double> level;  // of coverage; none: the model cannot say
  SetForm sets = SetForm::kAps;
  std::string calibrated_by;  // the part whose rows the sets are calibrated by
  std::vector<ScoreInfo> info;
  std::vector<Part> parts;
  std::vector<std::string> notes;
};

}  // namespace emgnn
