// SPDX-License-Identifier: Apache-2.0
// The shift operators S_λ of one graph or of a batch of graphs: all that a backbone ever sees of a
// graph.
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

namespace emgnn {

// One message-passing step of a batch of graphs, on raw float32 arrays. Implementations use the
// algebra of their family; none keeps per-call state.
class HopOperator : public torch::CustomClassHolder {
 public:
  virtual int64_t num_graphs() const = 0;
  virtual int64_t num_inputs() const = 0;
  virtual int64_t num_outputs() const = 0;
  // out[g] = S_g in, `in` shared: [num_inputs, width]; out [num_graphs, num_outputs, width].
  virtual void apply_shared(int64_t width, const float* in, float* out) const = 0;
  // out[g] = S_g in[g], in [num_graphs, num_inputs, width].
  virtual void apply_each(int64_t width, const float* in, float* out) const = 0;
  // The transposes: grad_in = Σ_g S_gᵀ grad_out[g], and grad_in[g] = S_gᵀ grad_out[g].
  virtual void transpose_shared(int64_t width, const float* grad_out, float* grad_in) const = 0;
  virtual void transpose_each(int64_t width, const float* grad_out, float* grad_in) const = 0;
  // The weight of an output row's own input: out[g, i] = (S_g)_ii, [num_graphs, num_outputs].
  virtual void diagonal(float* out) const = 0;
};

// A hop's structure with what the backward pass needs, shared by all operators over it.
struct HopPattern {
  Hop hop;
  Transposed backward;  // transpose of hop.pattern

  explicit HopPattern(Hop h);
};

// The operator of graphs that share a pattern and differ in values, the form that every family can
// fall back on.
class PatternOperator : public HopOperator {
 public:
  // `make_values` gives [num_graphs, num_entries]; it is called once, when the values are first
  // used.
  PatternOperator(std::shared_ptr<const HopPattern> pattern, int64_t num_graphs,
                  std::function<std::vector<float>()> make_values);

  int64_t num_graphs() const override { return num_graphs_; }
  int64_t num_inputs() const override { return pattern_->hop.pattern.num_cols; }
  int64_t num_outputs() const override { return pattern_->hop.pattern.num_rows; }
  void apply_shared(int64_t width, const float* in, float* out) const override;
  void apply_each(int64_t width, const float* in, float* out) const override;
  void transpose_shared(int64_t width, const float* grad_out, float* grad_in) const override;
  void transpose_each(int64_t width, const float* grad_out, float* grad_in) const override;
  void diagonal(float* out) const override;

 private:
  std::shared_ptr<const HopPattern> pattern_;
  int64_t num_graphs_;

  const float* values() const;

  std::function<std::vector<float>()> make_values_;
  mutable std::once_flag values_made_;
  mutable std::vector<float> values_;
};

class Shift {
 public:
  // One operator and one pattern per hop; with a single hop over all rows any number of layers may
  // use it.
  Shift(std::vector<c10::intrusive_ptr<HopOperator>> operators,
        std::vector<std::shared_ptr<const HopPattern>> patterns);

  int64_t num_graphs() const { return operators_.front()->num_graphs(); }
  int64_t num_inputs(int hop) const { return at(hop).num_inputs(); }
  int64_t num_outputs(int hop) const { return at(hop).num_outputs(); }
  // The nodes whose rows this hop reads.
  const std::vector<int32_t>& input_rows(int hop) const {
    return patterns_[index(hop)]->hop.input_rows;
  }

  // Layer `hop`'s S_λ h for every graph: h [num_inputs, d] shared, or [num_graphs, num_inputs, d];
  // returns [num_graphs, num_outputs, d]. Differentiable once in h.
  at::Tensor apply(const at::Tensor& h, int hop) const;

  // The rows of h that are also output rows of this hop (for residuals and identity channels).
  at::Tensor self(const at::Tensor& h, int hop) const;

  // The weight that S_λ gives to an output row's own input: [num_graphs, num_outputs, 1], no
  // gradient.
  at::Tensor diagonal(int hop) const;

 private:
  const HopOperator& at(int hop) const { return *operators_[index(hop)]; }
  size_t index(int hop) const;

  std::vector<c10::intrusive_ptr<HopOperator>> operators_;
  std::vector<std::shared_ptr<const HopPattern>> patterns_;
};

}  // namespace emgnn
