// SPDX-License-Identifier: Apache-2.0
// From the rows of small graphs to one prediction each: a readout over the rows, with descriptors of
// whole molecules beside it if asked for, and a perceptron with one hidden layer or none.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include <emgnn/models/batch_norm.h>
#include <emgnn/models/recurrent.h>

namespace emgnn {

class GraphHead {
 public:
  struct Plan {
    HeadOptions options;
    StackOptions stack;  // the activation and the first weights are the layers'
    int64_t inputs = 0, outputs = 0;
    int index = 0;                                 // behind so many layers
    const DescriptorScale* descriptors = nullptr;  // as in NetworkShape
    uint64_t seed = 0;
  };
  // The parameters are the network's.
  GraphHead(Network& network, const Plan& plan);

  // h [rows of the last hop, inputs] -> [items, outputs].
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& h, const Mode& mode) const;
  // What that is linear in, the perceptron's hidden layer or the readout: [items, width].
  at::Tensor features(const GraphBatch& batch, const at::Tensor& h, const Mode& mode) const;
  bool reads_descriptors() const { return descriptor_mean_.defined(); }

 private:
  at::Tensor read_out(const Segments& items, const at::Tensor& h) const;
  at::Tensor standardised(const at::Tensor& descriptors) const;

  Plan plan_;
  Linear gate_;  // readout = weighted-sum-and-max
  Linear head_, output_;
  BatchNorm norm_;                                  // model.head_norm
  at::Tensor descriptor_mean_, descriptor_factor_;  // buffers; undefined: reads none
};

}  // namespace emgnn
