// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include <emgnn/em/options.h>
#include <emgnn/models/network.h>

namespace emgnn {

// Adam over the parameters of a backbone, which it updates in place.
class Adam {
 public:
  Adam(const std::vector<Parameter>& parameters, const OptimOptions& options);

  // One update from the gradients in the parameters, which are cleared. A parameter without one
  // stays as it is. `share` of the run is over: the schedule of the learning rate.
  void step(double share = 0.0);

  // The running moments and the number of updates, to save and to restore.
  std::vector<at::Tensor> first_moment, second_moment;
  int64_t num_updates = 0;

 private:
  double clip_factor() const;

  const std::vector<Parameter>* parameters_;
  OptimOptions options_;
};

}  // namespace emgnn
