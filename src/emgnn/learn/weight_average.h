// SPDX-License-Identifier: Apache-2.0
// A running average of a network's weights, which often predicts better than the last of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include <emgnn/models/network.h>

namespace emgnn {

std::vector<at::Tensor> copy_of(const std::vector<at::Tensor>& tensors);
// Of the parameters, then of the buffers.
std::vector<at::Tensor> values_of(const Network& network);
void assign(const Network& network, const std::vector<at::Tensor>& values);

// θ̄ ← β_t θ̄ + (1 − β_t) θ with β_t = min(forget, t/(t+1)): the plain mean of the first
// 1/(1 − forget) steps. `step` counts from 0; step 0 starts the average.
void update_average(std::vector<at::Tensor>& average, const Network& network, double forget,
                    int64_t step);

// While it lives, the network holds `average`; nothing happens if that is empty.
class WithAverage {
 public:
  WithAverage(const Network& network, const std::vector<at::Tensor>& average);
  ~WithAverage();
  WithAverage(const WithAverage&) = delete;
  WithAverage& operator=(const WithAverage&) = delete;

 private:
  const Network* network_;
  std::vector<at::Tensor> trained_;  // what to put back
};

}  // namespace emgnn
