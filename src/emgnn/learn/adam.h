// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include <emgnn/learn/options.h>
#include <emgnn/models/network.h>

namespace emgnn {

// Adam over the parameters of a network, which it updates in place.
class Adam {
 public:
  Adam(std::shared_ptr<const Network> network, const OptimOptions& options);

  // One update from the gradients in the parameters, which are cleared. A parameter without one
  // stays as it is. `progress` in [0, 1] is the share of the run that is over: the schedule of the
  // learning rate.
  void step(double progress = 0.0);

  // The running moments and the number of updates, to save and to restore.
  std::vector<at::Tensor> first_moment, second_moment;
  int64_t num_updates = 0;

 private:
  double clip_factor() const;

  std::shared_ptr<const Network> network_;
  OptimOptions options_;
};

}  // namespace emgnn
