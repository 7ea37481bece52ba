// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/weight_average.h>

#include <ATen/ATen.h>

#include <algorithm>

#include <emgnn/base/error.h>

namespace emgnn {

std::vector<at::Tensor> copy_of(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> out;
  for (const at::Tensor& t : tensors) out.push_back(t.detach().clone());
  return out;
}

std::vector<at::Tensor> values_of(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> out;
  for (const Parameter& p : parameters) out.push_back(p.value.detach().clone());
  return out;
}

void assign(const std::vector<Parameter>& parameters, const std::vector<at::Tensor>& values) {
  const at::NoGradGuard no_grad;
  EMGNN_DCHECK(values.size() == parameters.size());
  for (size_t i = 0; i < values.size(); ++i) parameters[i].value.detach().copy_(values[i]);
}

void update_average(std::vector<at::Tensor>& average, const std::vector<Parameter>& parameters,
                    double forget, int64_t step) {
  if (step == 0) {
    average = values_of(parameters);
    return;
  }
  const at::NoGradGuard no_grad;
  const double t = static_cast<double>(step);
  const double keep = std::min(forget, t / (t + 1.0));
  for (size_t i = 0; i < average.size(); ++i)
    average[i].mul_(keep).add_(parameters[i].value.detach(), 1.0 - keep);
}

WithAverage::WithAverage(const std::vector<Parameter>& parameters,
                         const std::vector<at::Tensor>& average)
    : parameters_(&parameters) {
  if (average.empty()) return;
  trained_ = values_of(parameters);
  assign(parameters, average);
}

WithAverage::~WithAverage() {
  if (!trained_.empty()) assign(*parameters_, trained_);
}

}  // namespace emgnn
