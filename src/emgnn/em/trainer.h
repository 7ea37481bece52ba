// SPDX-License-Identifier: Apache-2.0
// Expectation–maximisation: warm-up, then rounds of an E-step over all graphs and an M-step of
// signed gradient steps on drawn graphs. With a family of one point this is ordinary training. What
// is trained, and on which data, is the problem's.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <emgnn/em/adam.h>
#include <emgnn/em/observer.h>
#include <emgnn/em/options.h>
#include <emgnn/em/problem.h>
#include <emgnn/em/stopping.h>

namespace emgnn {

// Everything a run needs to go on where it was: randomness is a function of the seed and these
// counters.
struct TrainState {
  int64_t step = 0;  // passes over the training data
  bool stopped = false;
  StopState stop;
  std::optional<Posterior> posterior;       // p_t of the round in progress
  std::optional<Posterior> best_posterior;  // p_t when the best weights were kept
  std::vector<RoundInfo> rounds;
  std::vector<at::Tensor> weights, best_weights;        // parameters, then buffers
  std::vector<at::Tensor> average;                      // of the weights so far, with optim.average
  std::vector<at::Tensor> first_moment, second_moment;  // of the parameters
};

struct TrainResult {
  int64_t em_iterations = 0;
  bool stopped_early = false;
  Scores validation, test;
  Posterior posterior;  // p_T
  std::vector<RoundInfo> rounds;
  Prediction prediction;
  std::optional<McmcResult> last_mcmc;
};

class Trainer {
 public:
  // The problem outlives the trainer; the weights of its network are trained in place.
  Trainer(Problem& problem, const TrainOptions& options, uint64_t seed);

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
  double training_pass();
  double gradient_step(int64_t number);
  void validate(StepInfo& info);
  TrainResult finish(Observer& observer);

  Problem* problem_;
  const ParameterSpace* space_;
  const Network* network_;
  TrainOptions options_;
  uint64_t seed_;
  Adam adam_;
  TrainState state_;
  std::optional<McmcResult> last_mcmc_;
};

// p_t as predictions use it: em.keep.
Posterior kept_to_predict(const EmOptions& options, const Posterior& posterior, int64_t num_points);

}  // namespace emgnn
