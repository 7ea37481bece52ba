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

class BlockHop : public torch::CustomClassHolder {
 public:
  BlockHop(BlockRows rows, std::shared_ptr<const MoleculeGraphs> graphs);

  int64_t num_inputs() const { return rows_.num_inputs; }
  int64_t num_outputs() const { return static_cast<int64_t>(rows_.own.size()); }

  // out = own(h₀) + S h₁ of h = [h₀ | h₁] [num_inputs, 2 width]; out [num_outputs, width].
  void apply(int64_t width, const float* h, float* out) const;
  void transpose(int64_t width, const float* grad_out, float* grad_h) const;
  // out[r] = h[own[r]], [num_outputs, width], and its transpose.
  void own(int64_t width, const float* h, float* out) const;
  void own_transpose(int64_t width, const float* grad_out, float* grad_h) const;
  bool own_is_identity() const { return own_is_identity_; }

 private:
  const Csr& transposed() const;  // of the map from [2 num_inputs, width]
  const Csr& own_transposed() const;

  BlockRows rows_;
  std::shared_ptr<const MoleculeGraphs> graphs_;
  bool own_is_identity_;
  mutable std::once_flag made_, own_made_;
  mutable Csr transposed_, own_transposed_;
};

// The same, differentiable once in h.
at::Tensor filter(const c10::intrusive_ptr<BlockHop>& hop, const at::Tensor& h);
at::Tensor own_rows(const c10::intrusive_ptr<BlockHop>& hop, const at::Tensor& h);

}  // namespace emgnn
