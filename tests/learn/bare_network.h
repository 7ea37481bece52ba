// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/ATen.h>

#include <emgnn/models/network.h>

namespace emgnn {

// Weights that never run on a graph.
class BareNetwork : public Network {
 public:
  NetworkNeeds needs() const override { return {}; }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& /*x*/,
                   const Mode& /*mode*/) const override {
    return {};
  }
  at::Tensor forward(const GraphBatch& /*batch*/, const at::Tensor& /*embedded*/,
                     const Mode& /*mode*/) const override {
    return {};
  }
};

}  // namespace emgnn
