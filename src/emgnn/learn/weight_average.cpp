// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/weight_average.h>

#include <ATen/ATen.h>

#include <algorithm>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

std::vector<at::Tensor> tensors_of(const Network& network) {
  std::vector<at::Tensor> out;
  for (const Parameter& p : network.parameters()) out.push_back(p.value);
  for (const Buffer& b : network.buffers()) out.push_back(b.value);
  return out;
}

}  // namespace

std::vector<at::Tensor> copy_of(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> out;
  for (const at::Tensor& t : tensors) out.push_back(t.detach().clone());
  return out;
}

std::vector<at::Tensor> values_of(const Network& network) { return copy_of(tensors_of(network)); }

void assign(const Network& network, const std::vector<at::Tensor>& values) {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> tensors = tensors_of(network);
  EMGNN_DCHECK(values.size() == tensors.size());
  for (size_t i = 0; i < values.size(); ++i) tensors[i].detach().copy_(values[i]);
}

void update_average(std::vector<at::Tensor>& average, const Network& network, double forget,
                    int64_t step) {
  if (step == 0) {
    average = values_of(network);
    return;
  }
  const at::NoGradGuard no_grad;
  const double t = static_cast<double>(step);
  const double keep = std::min(forget, t / (t + 1.0));
  const std::vector<at::Tensor> tensors = tensors_of(network);
  for (size_t i = 0; i < average.size(); ++i)
    average[i].mul_(keep).add_(tensors[i].detach(), 1.0 - keep);
}

WithAverage::WithAverage(const Network& network, const std::vector<at::Tensor>& average)
    : network_(&network) {
  if (average.empty()) return;
  trained_ = values_of(network);
  assign(network, average);
}

WithAverage::~WithAverage() {
  if (!trained_.empty()) assign(*network_, trained_);
}

}  // namespace emgnn
