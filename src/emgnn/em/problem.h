// SPDX-License-Identifier: Apache-2.0
// What a trainer trains: a network on some data, under the graphs of any λ.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <emgnn/em/posterior.h>
#include <emgnn/models/network.h>
#include <emgnn/models/ops.h>
#include <emgnn/models/scores.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// Called now and then during long work; may throw to abandon it.
using Poll = std::function<void()>;

struct Prediction {
  std::vector<int32_t> rows;  // the nodes or molecules, ascending
  // float64, over the whole distribution: log-probabilities [rows, classes], or values [rows] in
  // the unit of the target.
  at::Tensor value;
  // Like value: standard deviation over λ ~ p of the class's probability, or of the value.
  at::Tensor spread;
};

enum class Part { kValidation, kTest };

struct LambdaDraw {
  int64_t lam_id = 0;
  double weight = 1.0;  // w(λ)
};

struct Objective {
  at::Tensor value;        // the mean of w(λ) L(λ, θ) over the draws, float64, to descend on
  double mean_loss = 0.0;  // the mean of L(λ, θ)
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual Task task() const = 0;
  virtual const ParameterSpace& space() const = 0;
  virtual const Network& network() const = 0;  // its weights are trained in place

  // L(λ, θ) of the labels that the posterior may look at, without dropout.
  virtual std::vector<double> losses(std::span<const int64_t> lam_ids, const Poll& poll) = 0;

  // One pass over the training data is this many gradient steps.
  virtual int64_t num_batches() const = 0;
  // Of the batch of gradient step pass.step; without draws under the observed graph.
  virtual Objective objective(std::span<const LambdaDraw> draws, const Pass& pass) = 0;

  virtual Scores validate(const Posterior& posterior) = 0;
  virtual Prediction predict(const Posterior& posterior, const Poll& poll) = 0;
  virtual Scores score(const Prediction& prediction, Part part) const = 0;
};

}  // namespace emgnn
