// SPDX-License-Identifier: Apache-2.0
// What a training run tells about itself while it goes on. The library never prints: progress bars,
// logs and reports are observers.
#pragma once

#include <cstdint>
#include <optional>

#include <emgnn/em/mcmc.h>
#include <emgnn/em/posterior.h>
#include <emgnn/models/scores.h>

namespace emgnn {

struct TrainState;

// One E-step.
struct RoundInfo {
  int64_t round = 0;  // from 1
  double eta = 0.0;
  double mean_loss = 0.0;         // E_{λ~p_t}[L(λ)]
  double normalizer_ratio = 0.0;  // ϱ_t
  Posterior posterior;            // p_t
};

// One pass over the training data, with the validation that followed it, if one did.
struct StepInfo {
  int64_t step = 0;         // from 1, warm-up included
  int64_t max_steps = 0;    // if training is not stopped early
  int64_t round = 0;        // 0 during warm-up
  double train_loss = 0.0;  // unweighted, at the drawn graphs
  std::optional<Scores> validation;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // `mcmc` is null when the posterior was enumerated.
  virtual void on_round(const RoundInfo& /*round*/, const McmcResult* /*mcmc*/) {}
  virtual void on_step(const StepInfo& /*step*/) {}
  // Called after every round and when the run is about to be interrupted.
  virtual void on_checkpoint(const TrainState& /*state*/) {}
  // Asked before every pass and during long work.
  virtual bool stop_requested() { return false; }
};

}  // namespace emgnn
