// SPDX-License-Identifier: Apache-2.0
// One message-passing step over many small graphs laid end to end, nested in a level.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/space/block_propagation.h>
#include <emgnn/space/molecule_graphs.h>

namespace emgnn {

// The arrays of kernels::BlockView.
struct BlockRows {
  int64_t num_inputs = 0;
  std::vector<int32_t> own;
  std::vector<int64_t> list;
  std::vector<int32_t> count, base;
  std::vector<float> factor;         // empty: all ones
  std::vector<int32_t> source;       // empty: the input itself
  std::vector<float> source_factor;  // empty: all ones
};

// Rows whose neighbours are beginnings of lists, which graphs that grow share.
class BlockHop : public BlockPropagation {
 public:
  BlockHop(BlockRows rows, std::shared_ptr<const MoleculeGraphs> graphs,
           std::shared_ptr<const EntryTable> kinds);

  int64_t num_inputs() const override { return rows_.num_inputs; }

 protected:
  void for_each_entry(const Put& put) const override;
  const std::vector<int32_t>& own() const override { return rows_.own; }
  at::Tensor filter(const at::Tensor& h) const override;

 private:
  BlockRows rows_;
  std::shared_ptr<const MoleculeGraphs> graphs_;
};

}  // namespace emgnn
