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
#include <emgnn/run/same_run.h>

namespace emgnn {

inline constexpr const char* kMetricsFile = "metrics.jsonl";

// What tells one run from another; the metadata of its files.
using RunIdentity = std::map<std::string, std::string>;

// Writes the metrics and the checkpoints of a run into its folder, and passes everything on.
class RunRecorder : public FitObserver {
 public:
  struct Start {
    int64_t epoch = 0;
    int64_t lines = 0;  // of the metrics; later ones of an earlier attempt are dropped
    double seconds = 0.0;
  };
  struct Options {
    ScoreInfo main_score;
    std::chrono::duration<double> checkpoint_period = kCheckpointPeriod;
  };
  RunRecorder(RunFolder& folder, RunIdentity identity, RunsObserver& next, Options options,
              const Start& start);

  void on_round(const RoundRecord& round) override;
  void on_epoch(const EpochRecord& epoch) override;
  void on_note(const std::string& note) override { next_.on_note(note); }
  void on_phase(const std::string& what) override { next_.on_phase({what, true}); }
  void on_checkpoint(Learner& learner) override;
  bool checkpoint_due() override;
  bool stop_requested() override { return next_.stop_requested(); }

  double seconds() const;  // spent on the run so far

 private:
  using Clock = std::chrono::steady_clock;

  void add_line(const std::string& line);

  RunFolder& folder_;
  RunIdentity identity_;
  RunsObserver& next_;
  Options options_;
  int64_t epoch_, lines_;
  double seconds_before_;
  Clock::time_point start_ = Clock::now(), last_checkpoint_ = start_;
};

// The state of an interrupted run, if there is one. UsageError that names the difference when it is
// of another run, DataError when it is damaged.
std::optional<RunRecorder::Start> resume(RunFolder& folder, const RunIdentity& identity,
                                         Learner& learner);

}  // namespace emgnn
