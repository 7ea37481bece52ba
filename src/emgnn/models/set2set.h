// SPDX-License-Identifier: Apache-2.0
// Set2Set (Vinyals et al. 2016): a readout that asks the rows of each item several times. With q* = 0
// and an LSTM of some layers, whose states begin with 0:
//   q = LSTM(q*)   t_v = softmax over the item's rows of h_v·q   q* = [q | Σ_v t_v h_v]
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include <emgnn/models/recurrent.h>
#include <emgnn/space/segments.h>

namespace emgnn {

class Set2Set {
 public:
  struct Shape {
    int64_t width = 0;
    int64_t steps = 1, layers = 1;
  };
  Set2Set(WeightMaker& make, const Shape& shape);

  // h [rows, width] -> [items, 2 width]
  at::Tensor operator()(const Segments& items, const at::Tensor& h) const;

 private:
  Shape shape_;
  std::vector<LstmCell> cells_;
};

}  // namespace emgnn
