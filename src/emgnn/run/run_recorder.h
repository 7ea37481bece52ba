// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <emgnn/learn/learner.h>
#include <emgnn/run/request.h>
#include <emgnn/run/run_folder.h>

namespace emgnn {

inline constexpr const char* kMetricsFile = "metrics.jsonl";
inline constexpr const char* kCheckpointFile = "checkpoint/state.safetensors";

// What tells one run from another; the metadata of its files.
using RunIdentity = std::map<std::string, std::string>;

// Writes the metrics and the checkpoints of a run into its folder, and passes everything on.
class RunRecorder : public FitObserver {
 public:
  struct Start {
    int64_t epoch = 0;  // later lines of an earlier attempt are dropped
    double seconds = 0.0;
  };
  RunRecorder(RunFolder& folder, RunIdentity identity, RunsObserver& next, ScoreInfo main_score,
              const Start& start);

  void on_round(const RoundRecord& round) override;
  void on_epoch(const EpochRecord& epoch) override;
  void on_note(const std::string& note) override { next_.on_note(note); }
  void on_phase(const std::string& what) override { next_.on_phase({what, true}); }
  void on_checkpoint(Learner& learner) override;
  bool stop_requested() override { return next_.stop_requested(); }

  double seconds() const;  // spent on the run so far

 private:
  RunFolder& folder_;
  RunIdentity identity_;
  RunsObserver& next_;
  ScoreInfo main_score_;
  int64_t epoch_;
  double seconds_before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The state of an interrupted run, if there is one. UsageError that names the difference when it is
// of another run, DataError when it is damaged.
std::optional<RunRecorder::Start> resume(RunFolder& folder, const RunIdentity& identity,
                                         Learner& learner);

}  // namespace emgnn
