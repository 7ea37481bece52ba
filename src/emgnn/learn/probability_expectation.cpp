// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/probability_expectation.h>

#include <ATen/ATen.h>

#include <emgnn/kernels/accumulate.h>

namespace emgnn {

namespace {

void add_to(at::Tensor& sum, const at::Tensor& term, double weight) {
  if (!sum.defined()) sum = at::zeros_like(term);
  sum.add_(term, weight);
}

std::vector<double> copied(const at::Tensor& t) {
  const at::Tensor flat = t.contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace

// The mean of the logits alone needs no tensors.
void ProbabilityExpectation::add_logits(const at::Tensor& outputs, double each) {
  if (!logits_.defined()) logits_ = at::zeros({outputs.size(1), outputs.size(2)}, at::kDouble);
  const int64_t size = logits_.numel();
  for (int64_t r = 0; r < outputs.size(0); ++r)
    kernels::accumulate(size, each, outputs.data_ptr<float>() + r * size,
                        logits_.data_ptr<double>());
}

void ProbabilityExpectation::add(const at::Tensor& outputs, double p, double temperature) {
  const double each = p / static_cast<double>(outputs.size(0));
  const bool plain = average_ == Average::kLogits && detail_ == Detail::kValue &&
                     temperature == 1.0 && outputs.scalar_type() == at::kFloat;
  if (plain) return add_logits(outputs.contiguous(), each);
  for (int64_t r = 0; r < outputs.size(0); ++r) {
    at::Tensor logits = outputs[r].to(at::kDouble);
    if (temperature != 1.0) logits = logits / temperature;
    if (average_ == Average::kLogits) add_to(logits_, logits, each);
    if (average_ == Average::kLogits && detail_ == Detail::kValue) continue;
    const at::Tensor prob = link_.probability(logits);
    add_to(prob_, prob, each);
    if (detail_ == Detail::kValue) continue;
    add_to(entropy_, link_.entropy(prob), each);
    add_to(votes_, link_.choice(prob), each);
  }
}

void ProbabilityExpectation::finish(Prediction& into) const {
  const bool of_logits = average_ == Average::kLogits;
  into.width = (of_logits ? logits_ : prob_).size(1);
  into.value = copied(of_logits ? link_.value(logits_) : link_.value_of_mean(prob_));
  if (detail_ == Detail::kValue) return;
  // I(answer; graph) = H(E[p]) − E[H(p)], of the probabilities whichever way they are averaged.
  // Below zero by rounding alone.
  into.graph_part = copied((link_.entropy(prob_) - entropy_).clamp_min(0.0));
  into.votes = copied(votes_);
}

}  // namespace emgnn
