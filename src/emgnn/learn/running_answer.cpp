// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/running_answer.h>

#include <ATen/ATen.h>

#include <limits>
#include <vector>

#include <emgnn/learn/tensor_numbers.h>

namespace emgnn {

namespace {

at::Tensor entropy_of(const at::Tensor& prob) { return at::xlogy(prob, prob).sum(1).neg(); }

std::vector<double> copied(const at::Tensor& t) {
  const at::Tensor flat = t.contiguous();
  const std::span<const double> all = numbers(flat);
  return {all.begin(), all.end()};
}

}  // namespace

void RunningAnswer::add(const Prediction& all) {
  const at::Tensor prob = at::tensor(all.value).view({-1, all.width}).exp();
  const at::Tensor votes = at::tensor(all.votes).view({-1, all.width});
  const bool first = count_++ == 0;
  prob_ = first ? prob : prob_ + prob;
  votes_ = first ? votes : votes_ + votes;
  entropy_ = first ? entropy_of(prob) : entropy_ + entropy_of(prob);
}

Prediction RunningAnswer::of(std::span<const int32_t> rows) const {
  const std::vector<int64_t> place(rows.begin(), rows.end());
  const auto mean = [&](const at::Tensor& sum) {
    return sum.index_select(0, at::tensor(place, at::kLong)) / static_cast<double>(count_);
  };
  const at::Tensor prob = mean(prob_);
  constexpr double kSmallest = std::numeric_limits<double>::min();  // its logarithm is finite
  return {.rows = {rows.begin(), rows.end()},
          .width = prob.size(1),
          .value = copied(prob.clamp_min(kSmallest).log()),
          // I(answer; network) = H(E[p]) − E[H(p)], below zero by rounding alone.
          .graph_part = copied((entropy_of(prob) - mean(entropy_)).clamp_min(0.0)),
          .noise = copied(mean(entropy_)),
          .votes = copied(mean(votes_))};
}

void RunningAnswer::visit_state(StateVisitor& visitor, int64_t num_rows, int64_t num_classes) {
  visitor.number("answer/count", count_);
  if (count_ < 0) visitor.fail("answer/count is below 0");
  if (count_ == 0) return;
  visitor.node_tensor("answer/prob", prob_);
  visitor.node_tensor("answer/votes", votes_);
  visitor.node_tensor("answer/entropy", entropy_);
  const auto fits = [](const at::Tensor& t, at::IntArrayRef sizes) {
    return t.scalar_type() == at::kDouble && t.sizes() == sizes;
  };
  if (!fits(prob_, {num_rows, num_classes}) || !fits(votes_, {num_rows, num_classes}) ||
      !fits(entropy_, {num_rows}))
    visitor.fail("answer is not one of these nodes and classes");
}

}  // namespace emgnn
