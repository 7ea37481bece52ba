// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/temperature.h>

#include <ATen/ATen.h>

#include <algorithm>

#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

LossSlope slope_of_all(const at::Tensor& outputs, const at::Tensor& beta, const SlopeOf& slope) {
  constexpr int64_t kNumbersAtATime = 1 << 20;
  const int64_t graphs = outputs.size(0);
  const int64_t of_one = std::max<int64_t>(1, outputs.numel() / graphs);
  const int64_t at_a_time = std::max<int64_t>(1, kNumbersAtATime / of_one);
  std::vector<at::Tensor> first, second;
  for (int64_t g = 0; g < graphs; g += at_a_time) {
    check_overdue();
    const int64_t count = std::min(at_a_time, graphs - g);
    LossSlope part = slope(outputs.narrow(0, g, count).to(at::kDouble),
                           beta.narrow(0, g, count).view({-1, 1, 1}));
    first.push_back(std::move(part.first));
    second.push_back(std::move(part.second));
  }
  return {at::cat(first), at::cat(second)};
}

}  // namespace

std::vector<double> best_temperatures(const at::Tensor& outputs, const SlopeOf& slope) {
  // A step that leaves the interval halves it: 24 of those would leave 10 / 2²⁴.
  constexpr int kSteps = 24;
  constexpr double kSmallest = 1.0 / 3.0, kLargest = 10.0, kTolerance = 1e-6;
  const at::NoGradGuard no_grad;
  const int64_t num_graphs = outputs.size(0);
  at::Tensor low = at::full({num_graphs}, kSmallest, at::kDouble);
  at::Tensor high = at::full({num_graphs}, kLargest, at::kDouble);
  at::Tensor beta = at::ones({num_graphs}, at::kDouble);
  for (int step = 0; step < kSteps; ++step) {
    const LossSlope now = slope_of_all(outputs, beta, slope);
    const at::Tensor falls = now.first.lt(0.0);
    low = at::where(falls, beta, low);
    high = at::where(falls, high, beta);
    const at::Tensor newton = beta - now.first / now.second;
    // A comparison with NaN is false: the loss of certain predictions has no curvature.
    // A step too small to move is inside: that graph has settled, whatever the others do.
    const at::Tensor inside = newton.ge(low).logical_and(newton.le(high));
    const at::Tensor next = at::where(inside, newton, (low + high) / 2.0);
    const bool settled = (next - beta).abs().max().item<double>() < kTolerance;
    beta = next;
    if (settled) break;
  }
  const at::Tensor temperature = beta.reciprocal().contiguous();
  const double* data = temperature.data_ptr<double>();
  return {data, data + num_graphs};
}

}  // namespace emgnn
