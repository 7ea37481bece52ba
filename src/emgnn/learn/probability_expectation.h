// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <emgnn/learn/task.h>

namespace emgnn {

// The mean over graphs of class or label probabilities. It streams over the graphs: memory grows
// with the rows alone.
class ProbabilityExpectation : public Expectation {
 public:
  // `probability` maps logits [rows, width] to probabilities, `value` maps the mean logits to what
  // a prediction holds, `value_of_mean` the mean probabilities. `entropy` is in nats, one for each
  // answer: [rows] or [rows, width]. `choice` is 1 for what is answered and 0 for the rest.
  struct Link {
    at::Tensor (*probability)(const at::Tensor& logits);
    at::Tensor (*value)(const at::Tensor& mean_logits);
    at::Tensor (*value_of_mean)(const at::Tensor& mean_probability);
    at::Tensor (*entropy)(const at::Tensor& probability);
    at::Tensor (*choice)(const at::Tensor& probability);
  };
  ProbabilityExpectation(Average average, Detail detail, const Link& link)
      : average_(average), detail_(detail), link_(link) {}

  void add(const at::Tensor& outputs, double p, double temperature) override;
  void next_network() override;
  void finish(Prediction& into) const override;

 private:
  void add_logits(const at::Tensor& outputs, double each);
  at::Tensor entropy_of_last() const;

  Average average_;
  Detail detail_;
  Link link_;
  at::Tensor logits_, prob_;    // E[logits], E[p]: float64 [rows, width]
  at::Tensor entropy_, votes_;  // E[H(p)], E[choice]
  // With several networks k of weight w_k: Σ w_k so far, and of those that are finished also Σ w_k
  // E[p | k] and Σ w_k H(E[p | k]).
  double mass_ = 0.0, mass_before_ = 0.0;
  at::Tensor prob_before_, network_entropy_;
};

}  // namespace emgnn
