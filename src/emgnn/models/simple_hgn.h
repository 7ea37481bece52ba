// SPDX-License-Identifier: Apache-2.0
// Simple-HGN (Lv et al. 2021): graph attention that knows the types of edges. Each type of nodes
// has a projection of its own, h = x W_t + b_t; then per layer and head, with z = drop(h) W and an
// embedding r_k of each kind of edge:
//   e_ij = leaky_relu(a_l·z_i + a_r·z_j + a_e·(r_k W_e))   α_i = drop(softmax over i's neighbours)
//   α ← (1 − β) α + β α', α' being that of the layer before, as a constant
//   h_i ← act(Σ_j α_ij z_j + drop(h_i) W_res)
// No α' in the first and the last layer, no W_res in the first. Self loops are a kind of their own,
// and so are both directions of an edge type. Classes: the outputs of a node have norm 1.
#pragma once

#include <memory>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/models/gat.h>
#include <emgnn/models/typed_entries.h>

namespace emgnn {

struct SimpleHgnOptions {
  GatOptions gat{.stack = {.layers = 3,
                           .hidden = 64,
                           .activation = kernels::Activation::kElu,
                           .dropout = 0.5,
                           .init = Init::kXavierNormal},
                 .attention_dropout = 0.5,
                 .attention_slope = 0.05};
  int64_t edge_width = 64;
  double attention_residual = 0.05;
};
void describe(OptionVisitor& visitor, SimpleHgnOptions& options);

class SimpleHgn : public Network {
 public:
  struct Plan {
    NetworkShape shape;
    std::shared_ptr<const Dataset> data;  // for the types of its nodes
    int64_t num_views = 1;
    bool unit_outputs = true;
    uint64_t seed = 0;
  };
  SimpleHgn(const SimpleHgnOptions& options, Plan plan);

  NetworkNeeds needs() const override;
  // x W_t of every type t side by side: which of them a row needs is known with the hops.
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;

 private:
  struct Layer {
    at::Tensor weight, residual;            // [inputs, heads · width]; no residual in the first
    at::Tensor left, right;                 // a_l, a_r [heads, width]
    at::Tensor kind, kind_weight, of_kind;  // r, W_e, a_e
    int64_t heads = 1;
    bool first = false, last = false;
  };
  // What the layer before leaves behind.
  struct Attention {
    std::unique_ptr<TypedEntries> entries;
    at::Tensor value;  // [1, entries, heads]
  };

  Layer make_layer(int64_t inputs, int index);
  int64_t num_types() const;
  at::Tensor projected(const Propagation& hop, const at::Tensor& embedded) const;
  at::Tensor attention(const Layer& layer, const Propagation& hop, const TypedEntries& entries,
                       const at::Tensor& z) const;
  at::Tensor run(int index, const Propagation& hop, const at::Tensor& h, Attention& before,
                 const Mode& mode) const;

  SimpleHgnOptions options_;
  Plan plan_;
  at::Tensor input_weight_, input_bias_;  // [features, types · hidden], [types, hidden]
  std::vector<Layer> layers_;
};

}  // namespace emgnn
