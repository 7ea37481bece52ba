// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <emgnn/learn/options.h>
#include <emgnn/models/network.h>

namespace emgnn {

// Adam over the parameters of a network that are this optimiser's; it updates them in place.
class Adam {
 public:
  Adam(const std::shared_ptr<const Network>& network, const OptimOptions& options,
       int optimiser = 0);

  // One update from the gradients in the parameters, which are cleared. A parameter without one
  // stays as it is. `progress` in [0, 1] is the share of the run that is over: the schedule of the
  // learning rate.
  void step(double progress = 0.0);

  std::vector<std::string> names() const;  // of its parameters

  // The running moments and the number of updates, to save and to restore.
  std::vector<at::Tensor> first_moment, second_moment;
  int64_t num_updates = 0;

 private:
  double clip_factor() const;

  std::vector<Parameter> parameters_;
  OptimOptions options_;
};

}  // namespace emgnn
