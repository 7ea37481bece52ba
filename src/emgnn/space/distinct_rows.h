// SPDX-License-Identifier: Apache-2.0
// The rows of a batch of graphs, each once. With one input for all graphs most rows are the same in
// several of them, and what depends on a row's own entries alone is computed once.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/space/propagation.h>

namespace emgnn {

// Row k of S is factor[k] Σ_e val[e] in[col[e], :]; its own input in[self[k], :] is among them with
// val 1.
struct DistinctRows : torch::CustomClassHolder {
  int64_t num_graphs = 0;
  std::vector<int32_t> input_nodes;  // [inputs]; one after the other where graphs have their own
  std::vector<int32_t> start = {0};  // [rows + 1]
  std::vector<int32_t> col;
  std::vector<float> val;     // empty: all ones
  std::vector<float> factor;  // [rows]
  std::vector<int32_t> self;  // [rows]
  // [num_graphs, num_outputs]: which row a graph's is. Those of one output row belong to no other.
  std::vector<int32_t> place;

  int64_t num_rows() const { return static_cast<int64_t>(self.size()); }
  int64_t num_inputs() const { return static_cast<int64_t>(input_nodes.size()); }
  int64_t num_outputs() const { return static_cast<int64_t>(place.size()) / num_graphs; }

  // out [rows, width] = S in, in [inputs, width]. The bits are those of the hop itself.
  void apply(int64_t width, const float* in, float* out) const;
  // Sᵀ as a matrix [inputs, rows].
  Csr transposed() const;

  // h [rows, width] -> out [num_graphs, num_outputs, width], and the sum of what comes back.
  void spread(int64_t width, const float* h, float* out) const;
  void gather(int64_t width, const float* grad_out, float* grad_h) const;
};

// What a hop is that knows the rows of its graphs one by one.
class SharesRows {
 public:
  virtual ~SharesRows() = default;
  // With one input for all graphs, or one for each: [inputs, d] or [num_graphs · inputs, d]. Null
  // where a row depends on more than its entries.
  virtual c10::intrusive_ptr<DistinctRows> distinct_rows(bool one_input) const = 0;
};

// Of a hop, null where nothing is known of them.
c10::intrusive_ptr<DistinctRows> distinct_rows(const Propagation& hop, bool one_input);

}  // namespace emgnn
