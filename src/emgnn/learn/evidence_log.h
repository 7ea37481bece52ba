// SPDX-License-Identifier: Apache-2.0
// What has been computed of an E-step, so that one which takes long can be interrupted and resumed
// with the same bits: the same graphs are judged again in the same order, and the log answers for those
// that it knows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/learn/state.h>

namespace emgnn {

class EvidenceLog {
 public:
  // From now on it is read from its beginning.
  void rewind();
  bool empty() const { return tiles_.empty() && runs_.empty(); }
  // Grows with every result.
  int64_t size() const { return num_added_; }

  // The next results of at most `graphs` graphs, [k, ..]; undefined where it knows no more.
  at::Tensor next(int64_t graphs);
  void add(const at::Tensor& tile);

  // Outputs of the network since the last result, which may need several.
  std::optional<at::Tensor> next_run();
  void add_run(const at::Tensor& outputs);

  void visit_state(StateVisitor& visitor, const std::string& name);

 private:
  std::vector<at::Tensor> tiles_;  // [k, ..] each
  std::vector<at::Tensor> runs_;
  size_t tile_ = 0, run_ = 0;  // that are read next
  int64_t in_tile_ = 0;        // graphs of that tile that were read
  int64_t num_added_ = 0;
};

}  // namespace emgnn
