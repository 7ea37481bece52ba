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
  mass_ += p;
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

// w_k H(E[p | k]) of the network whose sums are not closed yet. Differences of sums are below zero by
// rounding alone.
at::Tensor ProbabilityExpectation::entropy_of_last() const {
  const double weight = mass_ - mass_before_;
  const at::Tensor own = prob_before_.defined() ? prob_ - prob_before_ : prob_;
  if (!(weight > 0.0)) return at::zeros_like(entropy_);
  return link_.entropy((own / weight).clamp(0.0, 1.0)) * weight;
}

void ProbabilityExpectation::next_network() {
  if (detail_ == Detail::kValue || !prob_.defined()) return;
  add_to(network_entropy_, entropy_of_last(), 1.0);
  prob_before_ = prob_.clone();
  mass_before_ = mass_;
}

void ProbabilityExpectation::finish(Prediction& into) const {
  const bool of_logits = average_ == Average::kLogits;
  into.width = (of_logits ? logits_ : prob_).size(1);
  into.value = copied(of_logits ? link_.value(logits_) : link_.value_of_mean(prob_));
  if (detail_ == Detail::kValue) return;
  // I(answer; graph) = H(E[p]) − E[H(p)], of the probabilities whichever way they are averaged.
  // Below zero by rounding alone.
  const at::Tensor whole = link_.entropy(prob_);
  into.graph_part = copied((whole - entropy_).clamp_min(0.0));
  into.noise = copied(entropy_.clamp_min(0.0));
  // I(answer; network) = H(E[p]) − E_k[H(E[p | k])]
  if (network_entropy_.defined())
    into.network_part = copied((whole - network_entropy_ - entropy_of_last()).clamp_min(0.0));
  into.votes = copied(votes_);
}

}  // namespace emgnn
