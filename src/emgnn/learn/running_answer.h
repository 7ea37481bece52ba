// SPDX-License-Identifier: Apache-2.0
// The mean of what networks say of the classes of all rows, one after the other.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include <emgnn/learn/prediction.h>
#include <emgnn/learn/state.h>

namespace emgnn {

class RunningAnswer {
 public:
  bool empty() const { return count_ == 0; }
  // One more, of all rows in their order.
  void add(const Prediction& all);
  // The mean of the probabilities; graph_part is the mutual information between the answer and
  // which of them is asked.
  Prediction of(std::span<const int32_t> rows) const;
  void visit_state(StateVisitor& visitor, int64_t num_rows, int64_t num_classes);

 private:
  int64_t count_ = 0;
  at::Tensor prob_, votes_;  // sums, float64 [rows, classes]
  at::Tensor entropy_;       // [rows]
};

}  // namespace emgnn
