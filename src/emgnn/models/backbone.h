// SPDX-License-Identifier: Apache-2.0
// A backbone Ψ(λ, x; θ): written against Shift, it does not know whether it runs on one graph or on
// many.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include <emgnn/models/network.h>
#include <emgnn/models/ops.h>
#include <emgnn/space/shift.h>

namespace emgnn {

struct BackboneSizes {
  int64_t num_nodes = 0;
  int64_t num_features = 0;
  int64_t num_outputs = 0;
};

class Backbone : public Network {
 public:
  virtual int num_hops() const = 0;  // how far a row's output reaches into the graph
  virtual int64_t widest_layer() const = 0;

  // The part that no λ changes, computed once for a whole batch or sweep of graphs.
  virtual at::Tensor embed(const InputFeatures& x, const Pass& pass) const = 0;
  // Outputs [num_graphs, output rows of the last hop, num_outputs] from embed()'s result.
  virtual at::Tensor forward(const Shift& shift, const at::Tensor& embedded,
                             const Pass& pass) const = 0;
};

}  // namespace emgnn
