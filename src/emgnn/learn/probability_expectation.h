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
  // a prediction holds, `value_of_mean` the mean probabilities.
  struct Link {
    at::Tensor (*probability)(const at::Tensor& logits);
    at::Tensor (*value)(const at::Tensor& mean_logits);
    at::Tensor (*value_of_mean)(const at::Tensor& mean_probability);
  };
  ProbabilityExpectation(Average average, const Link& link) : average_(average), link_(link) {}

  void add(const at::Tensor& outputs, double p, double temperature) override;
  void finish(Prediction& into) const override;

 private:
  Average average_;
  Link link_;
  at::Tensor logits_, prob_, square_;  // E[logits], E[p], E[p²]: float64 [rows, width]
};

}  // namespace emgnn
