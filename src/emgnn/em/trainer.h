// SPDX-License-Identifier: Apache-2.0
// Expectation–maximisation: warm-up, then rounds of an E-step over all graphs and an M-step of
// signed gradient steps on drawn graphs. With a family of one point this is ordinary training.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/adam.h>
#include <emgnn/em/evaluator.h>
#include <emgnn/em/observer.h>
#include <emgnn/em/options.h>
#include <emgnn/em/stopping.h>
#include <emgnn/models/task.h>

namespace emgnn {

// Everything a run needs to go on where it was: randomness is a function of the seed and these
// counters.
struct TrainState {
  int64_t step = 0;  // gradient steps taken
  bool stopped = false;
  StopState stop;
  std::optional<Posterior> posterior;       // p_t of the round in progress
  std::optional<Posterior> best_posterior;  // p_t when the best weights were kept
  std::vector<RoundInfo> rounds;
  std::vector<at::Tensor> parameters, best_parameters, first_moment, second_moment;
  std::vector<at::Tensor> average;  // of the weights so far, with optim.average
};

struct TrainResult {
  int64_t em_iterations = 0;
  bool stopped_early = false;
  ClassificationScores validation, test;
  Posterior posterior;  // p_T
  std::vector<RoundInfo> rounds;
  std::vector<int32_t> rows;  // the nodes predicted: those of the type that carries labels
  Expectation prediction;     // beside rows
  std::optional<McmcResult> last_mcmc;
};

class Trainer {
 public:
  // The dataset, the family and the backbone outlive the trainer; the backbone's weights are
  // trained in place.
  Trainer(const Dataset& dataset, const GraphFamily& family, Backbone& backbone,
          const TrainOptions& options, uint64_t seed);

  void resume(TrainState state);

  // Trains to the end, restores the kept weights and predicts. Throws Interrupted when the observer
  // asks to stop, after handing it a checkpoint.
  TrainResult run(Observer& observer);

 private:
  int64_t max_steps() const { return options_.em.warmup + options_.em.rounds * options_.em.steps; }
  bool warming_up() const { return state_.step < options_.em.warmup; }
  int64_t round() const;  // from 1; 0 while warming up
  bool round_begins() const;
  bool enumerates() const;  // the E-step computes the loss of every graph; else it samples
  TrainState snapshot() const;
  [[noreturn]] void interrupted() const;

  void e_step(Observer& observer);
  double gradient_step();
  void validate(StepInfo& info);
  Posterior used_to_predict(const Posterior& posterior) const;
  TrainResult finish(Observer& observer);

  const Dataset* dataset_;
  const GraphFamily* family_;
  Backbone* backbone_;
  TrainOptions options_;
  uint64_t seed_;
  at::Tensor posterior_label_, train_label_, validation_label_;
  std::unique_ptr<Evaluator> train_, validation_;
  std::unique_ptr<Evaluator>
      posterior_only_;  // set when the E-step reads other rows than the M-step
  Adam adam_;
  TrainState state_;
  std::optional<McmcResult> last_mcmc_;
};

}  // namespace emgnn
