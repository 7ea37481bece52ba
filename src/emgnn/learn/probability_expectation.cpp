// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/probability_expectation.h>

#include <ATen/ATen.h>

namespace emgnn {

void ProbabilityExpectation::add(const at::Tensor& outputs, double p, double temperature) {
  const double each = p / static_cast<double>(outputs.size(0));
  for (int64_t r = 0; r < outputs.size(0); ++r) {
    at::Tensor logits = outputs[r].to(at::kDouble);
    if (temperature != 1.0) logits = logits / temperature;
    const at::Tensor prob = link_.probability(logits);
    if (!logits_.defined()) {
      logits_ = at::zeros_like(logits);
      prob_ = at::zeros_like(logits);
      square_ = at::zeros_like(logits);
    }
    logits_.add_(logits, each);
    prob_.add_(prob, each);
    square_.add_(prob.square(), each);
  }
}

void ProbabilityExpectation::finish(Prediction& into) const {
  const bool of_logits = average_ == Average::kLogits;
  const at::Tensor value =
      (of_logits ? link_.value(logits_) : link_.value_of_mean(prob_)).contiguous();
  const at::Tensor spread = (square_ - prob_.square()).clamp_min(0.0).sqrt().contiguous();
  into.value.assign(value.data_ptr<double>(), value.data_ptr<double>() + value.numel());
  into.spread.assign(spread.data_ptr<double>(), spread.data_ptr<double>() + spread.numel());
}

}  // namespace emgnn
