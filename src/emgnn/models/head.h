// SPDX-License-Identifier: Apache-2.0
// From the rows of small graphs to one prediction each: a readout over the rows and a perceptron
// with one hidden layer.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include <emgnn/models/network.h>

namespace emgnn {

class GraphHead {
 public:
  struct Plan {
    HeadOptions options;
    StackOptions stack;  // the activation and the first weights are the layers'
    int64_t inputs = 0, outputs = 0;
    int index = 0;  // behind so many layers
    uint64_t seed = 0;
  };
  // The parameters are the network's.
  GraphHead(Network& network, const Plan& plan);

  // h [rows of the last hop, inputs] -> [items, outputs].
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& h, const Mode& mode) const;
  // The perceptron's hidden layer, in which that is linear: [items, options.head].
  at::Tensor features(const GraphBatch& batch, const at::Tensor& h, const Mode& mode) const;

 private:
  at::Tensor read_out(const Segments& items, const at::Tensor& h) const;

  Plan plan_;
  at::Tensor gate_weight_, gate_bias_;  // readout = weighted-sum-and-max
  at::Tensor head_weight_, head_bias_, output_weight_, output_bias_;
};

}  // namespace emgnn
