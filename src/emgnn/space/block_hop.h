// SPDX-License-Identifier: Apache-2.0
// One message-passing step over many small graphs laid end to end.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/space/molecule_graphs.h>
#include <emgnn/space/propagation.h>

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

class BlockHop : public ProductPropagation {
 public:
  BlockHop(BlockRows rows, std::shared_ptr<const MoleculeGraphs> graphs);

  int64_t num_graphs() const override { return 1; }
  int64_t num_inputs() const override { return rows_.num_inputs; }
  int64_t num_outputs() const override { return static_cast<int64_t>(rows_.own.size()); }

  at::Tensor self(const at::Tensor& h) const override;
  // In one pass over the neighbours.
  at::Tensor self_plus_apply(const at::Tensor& h) const override;
  at::Tensor diagonal() const override;

  bool blocks() const override { return true; }

 protected:
  c10::intrusive_ptr<Edges> make_edges() const override;
  at::Tensor apply_shared(const at::Tensor& in) const override;
  at::Tensor apply_each(const at::Tensor& in) const override;
  at::Tensor transpose_shared(const at::Tensor& grad_out) const override;
  at::Tensor transpose_each(const at::Tensor& grad_out) const override;

 private:
  friend struct BlockFilter;
  friend struct BlockOwn;
  struct Entry {
    int32_t input;
    float weight;
    int32_t bond;
  };
  template <class Put>
  void for_each_entry(Put&& put) const;  // put(output, Entry), row by row

  const Csr& forward() const;     // S
  const Csr& backward() const;    // its transpose
  const Csr& transposed() const;  // of the map from [2 num_inputs, width]
  const Csr& own_transposed() const;

  BlockRows rows_;
  std::shared_ptr<const MoleculeGraphs> graphs_;
  bool own_is_identity_;
  mutable std::once_flag forward_made_, backward_made_, made_, own_made_;
  mutable Csr forward_, backward_, transposed_, own_transposed_;
};

}  // namespace emgnn
