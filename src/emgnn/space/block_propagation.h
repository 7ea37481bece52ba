// SPDX-License-Identifier: Apache-2.0
// One message-passing step over many small graphs laid end to end, from its entries.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/space/entry_table.h>
#include <emgnn/space/propagation.h>

namespace emgnn {

class BlockPropagation : public ProductPropagation {
 public:
  explicit BlockPropagation(std::shared_ptr<const EntryTable> kinds) : kinds_(std::move(kinds)) {}

  int64_t num_graphs() const override { return 1; }
  int64_t num_outputs() const override { return static_cast<int64_t>(own().size()); }

  at::Tensor self(const at::Tensor& h) const override;
  // In one pass over the neighbours.
  at::Tensor self_plus_apply(const at::Tensor& h) const override;
  at::Tensor diagonal() const override;

  bool blocks() const override { return true; }

 protected:
  struct Entry {
    int32_t input;
    float weight;
    int32_t bond;  // −1: none
    int32_t bin;   // of the distance
  };
  using Put = std::function<void(size_t output, const Entry& entry)>;
  virtual void for_each_entry(const Put& put) const = 0;  // row by row
  virtual const std::vector<int32_t>& own() const = 0;    // [num_outputs] the row's own input
  // self(h₀) + S h₁ of [h₀ | h₁], contiguous.
  virtual at::Tensor filter(const at::Tensor& h) const;

  c10::intrusive_ptr<Edges> make_edges() const override;
  at::Tensor apply_shared(const at::Tensor& in) const override;
  at::Tensor apply_each(const at::Tensor& in) const override;
  at::Tensor transpose_shared(const at::Tensor& grad_out) const override;
  at::Tensor transpose_each(const at::Tensor& grad_out) const override;

 private:
  friend struct BlockFilter;
  friend struct BlockOwn;

  const Csr& forward() const;     // S
  const Csr& backward() const;    // its transpose
  const Csr& transposed() const;  // of the map from [2 num_inputs, width]
  Coo both_entries() const;       // of that map
  const Csr& own_transposed() const;

  std::shared_ptr<const EntryTable> kinds_;
  mutable std::once_flag forward_made_, backward_made_, both_made_, transposed_made_, own_made_;
  mutable Csr forward_, backward_, both_, transposed_, own_transposed_;
};

}  // namespace emgnn
