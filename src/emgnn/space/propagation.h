// SPDX-License-Identifier: Apache-2.0
// One hop of message passing on one graph or on a batch of graphs: all that a layer ever sees of a
// graph, whether its rows are the nodes of one graph or the atoms of many molecules.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/graph/receptive_field.h>
#include <emgnn/space/edges.h>

namespace emgnn {

class Propagation : public torch::CustomClassHolder {
 public:
  virtual int64_t num_graphs() const = 0;
  virtual int64_t num_inputs() const = 0;
  virtual int64_t num_outputs() const = 0;

  // S_λ h for every graph: h [num_inputs, d] shared by all graphs, or [num_graphs, num_inputs, d]
  // -> [num_graphs, num_outputs, d]. Graphs laid end to end: [num_inputs, d] -> [num_outputs, d].
  // Differentiable once in h.
  virtual at::Tensor apply(const at::Tensor& h) const = 0;

  // The rows of h that are also output rows: [..., num_inputs, d] -> [..., num_outputs, d].
  virtual at::Tensor self(const at::Tensor& h) const = 0;

  // self(h₀) + S_λ h₁ of h = [h₀ | h₁], [..., num_inputs, 2 d] -> [..., num_outputs, d].
  virtual at::Tensor self_plus_apply(const at::Tensor& h) const;

  // The weight that S_λ gives to an output row's own input: [num_graphs, num_outputs, 1].
  virtual at::Tensor diagonal() const = 0;

  // The nodes whose rows the hop reads. UsageError where rows are no nodes.
  virtual const std::vector<int32_t>& input_nodes() const;

  // The entries themselves; made when first asked for.
  const c10::intrusive_ptr<Edges>& edges() const;

  virtual bool blocks() const { return false; }  // graphs laid end to end: no axis of graphs

 protected:
  virtual c10::intrusive_ptr<Edges> make_edges() const = 0;

 private:
  mutable std::once_flag edges_made_;
  mutable c10::intrusive_ptr<Edges> edges_;
};

// Graphs whose entries are known numbers: products with them and their transposes are all there is.
class ProductPropagation : public Propagation {
 public:
  at::Tensor apply(const at::Tensor& h) const final;

 protected:
  // out[g] = S_g in with `in` shared, and out[g] = S_g in[g].
  virtual at::Tensor apply_shared(const at::Tensor& in) const = 0;
  virtual at::Tensor apply_each(const at::Tensor& in) const = 0;
  // The transposes: Σ_g S_gᵀ grad_out[g], and S_gᵀ grad_out[g] for each g.
  virtual at::Tensor transpose_shared(const at::Tensor& grad_out) const = 0;
  virtual at::Tensor transpose_each(const at::Tensor& grad_out) const = 0;

 private:
  friend struct ApplyPropagation;
};

// A hop's structure with what the backward pass needs, shared by all operators over it.
struct HopPattern {
  Hop hop;
  Transposed backward;  // transpose of hop.pattern

  explicit HopPattern(Hop h);
};

// What an entry of a hop is, beside its weight.
struct EntryTypes {
  std::vector<int32_t> type;  // [entries]
  int32_t num_types = 1;
};

// Hops over one pattern of nodes; families add how its graphs differ.
class HopPropagation : public ProductPropagation {
 public:
  HopPropagation(std::shared_ptr<const HopPattern> pattern, int64_t num_graphs)
      : pattern_(std::move(pattern)), num_graphs_(num_graphs) {}

  int64_t num_graphs() const override { return num_graphs_; }
  int64_t num_inputs() const override { return hop().pattern.num_cols; }
  int64_t num_outputs() const override { return hop().pattern.num_rows; }
  at::Tensor self(const at::Tensor& h) const override;
  const std::vector<int32_t>& input_nodes() const override { return hop().input_rows; }

 protected:
  const Hop& hop() const { return pattern_->hop; }
  const HopPattern& pattern() const { return *pattern_; }
  int64_t num_entries() const { return hop().pattern.num_entries(); }
  at::Tensor output_like(const at::Tensor& in) const;  // [num_graphs, num_outputs, d], not filled
  at::Tensor shared_input_like(const at::Tensor& out) const;  // [num_inputs, d]
  at::Tensor each_input_like(const at::Tensor& out) const;    // [num_graphs, num_inputs, d]

  virtual std::vector<float> values() const = 0;  // of S_λ, [num_graphs, num_entries]
  virtual EntryTypes entry_types() const = 0;
  c10::intrusive_ptr<Edges> make_edges() const override;

 private:
  std::shared_ptr<const HopPattern> pattern_;
  int64_t num_graphs_;
};

// Graphs that share a pattern and differ in values: the form that every family can fall back on.
class PatternPropagation : public HopPropagation {
 public:
  // `make_values` gives [num_graphs, num_entries]; it is called once, when they are first used.
  PatternPropagation(std::shared_ptr<const HopPattern> pattern, int64_t num_graphs,
                     std::function<std::vector<float>()> make_values,
                     std::function<EntryTypes()> make_types);

  at::Tensor diagonal() const override;

 protected:
  at::Tensor apply_shared(const at::Tensor& in) const override;
  at::Tensor apply_each(const at::Tensor& in) const override;
  at::Tensor transpose_shared(const at::Tensor& grad_out) const override;
  at::Tensor transpose_each(const at::Tensor& grad_out) const override;
  std::vector<float> values() const override;
  EntryTypes entry_types() const override { return make_types_(); }

 private:
  const float* kept_values() const;
  at::Tensor product(const at::Tensor& in, int64_t in_stride) const;

  std::function<std::vector<float>()> make_values_;
  std::function<EntryTypes()> make_types_;
  mutable std::once_flag values_made_;
  mutable std::vector<float> values_;
};

}  // namespace emgnn
