// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <emgnn/em/checkpoint.h>
#include <emgnn/em/observer.h>
#include <emgnn/report/mcmc_summary.h>
#include <emgnn/report/run_folder.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

inline constexpr const char* kMetricsFile = "metrics.jsonl";
inline constexpr const char* kCheckpointFile = "checkpoint/state.safetensors";

// What a recorder writes about; all of it outlives the recorder.
struct RecordedRun {
  const ParameterSpace& space;
  const Network& network;
  const RunIdentity& identity;
};

// Writes the metrics and the checkpoints of a run into its folder, and passes everything on.
class RunRecorder : public Observer {
 public:
  // Goes on after `step` passes and `seconds`; later lines of an earlier attempt are
  // dropped.
  RunRecorder(RunFolder& folder, const RecordedRun& run, Observer& next, int64_t step,
              double seconds);

  void on_round(const RoundInfo& round, const McmcResult* mcmc) override;
  void on_step(const StepInfo& step) override;
  void on_checkpoint(const TrainState& state) override;
  bool stop_requested() override { return next_.stop_requested(); }

  double seconds() const;  // spent on the run so far
  // By their number; those of an earlier attempt are read back from the metrics.
  const std::map<int64_t, McmcSummary>& sampled_rounds() const { return sampled_; }

 private:
  RunFolder& folder_;
  RecordedRun run_;
  Observer& next_;
  int64_t step_;
  double seconds_before_;
  std::map<int64_t, McmcSummary> sampled_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace emgnn
