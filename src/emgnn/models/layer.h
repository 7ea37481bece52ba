// SPDX-License-Identifier: Apache-2.0
// One layer of message passing, and networks that are a stack of them with a head.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <emgnn/models/head.h>
#include <emgnn/models/network.h>

namespace emgnn {

class Layer {
 public:
  virtual ~Layer() = default;

  virtual int64_t widest() const = 0;  // floats that a row needs at once
  // What the layer does to the features before anything depends on a graph, and what it makes of
  // that.
  virtual at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                           const Mode& mode) const = 0;
  virtual at::Tensor from_embedded(const Propagation& hop, const at::Tensor& embedded,
                                   const Mode& mode) const = 0;
  // The same from hidden rows.
  virtual at::Tensor forward(const Propagation& hop, const at::Tensor& h,
                             const Mode& mode) const = 0;

  // forward() in two steps, of which the first treats each row by itself. A layer that is not split
  // has nothing to do in it.
  virtual at::Tensor prepare(const at::Tensor& h, const Mode& /*mode*/) const { return h; }
  virtual at::Tensor from_prepared(const Propagation& hop, const at::Tensor& prepared,
                                   const Mode& mode) const {
    return forward(hop, prepared, mode);
  }
  // It asks nothing of a hop but apply(), self() and diagonal(), also in from_embedded().
  virtual bool needs_no_edges() const { return false; }

  // What forward() multiplies with its weights, if it is such a product and nothing behind it.
  virtual bool has_features() const { return false; }
  virtual at::Tensor features(const Propagation& hop, const at::Tensor& h, const Mode& mode) const;

  virtual at::Tensor bias() const { return {}; }    // added before the activation
  virtual bool activates() const { return false; }  // it has its activation inside, or none
  virtual bool drops() const { return true; }       // dropout follows, in a hidden layer
};

// What one layer of a stack is to be.
struct LayerPlace {
  int index = 0;
  int64_t inputs = 0, outputs = 0;
  bool last = false;
  uint64_t seed = 0;
  int64_t num_nodes = 0;  // of the graph

  std::string name(const char* parameter) const;  // "layers.0.weight"
};

// h ← drop(act(norm(layer(h) + b)))   (+ h where the widths agree, with model.residual)
// The last layer is bare. Where whole graphs are predicted it is like the others and a head follows;
// where all layers are read (model.jumping) it is, too, and the outputs of nodes are linear in what
// is read.
class LayerStack : public Network {
 public:
  using MakeLayer = std::function<std::unique_ptr<Layer>(Network&, const LayerPlace&)>;
  // `hidden_outputs` is what a hidden layer leaves behind, which may be more than options.hidden;
  // `last_outputs` what the last one leaves to a head.
  struct Plan {
    StackOptions stack;
    HeadOptions head;  // if the outputs are of whole graphs
    NetworkShape shape;
    uint64_t seed = 0;
    int64_t hidden_outputs = 0;
    int64_t last_outputs = 0;  // 0: hidden_outputs
    bool jumps_from_embedding =
        false;  // what the first layer embeds is read as if it were a layer's
  };
  LayerStack(const Plan& plan, const MakeLayer& make);

  NetworkNeeds needs() const override;
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;
  // The product of a single layer comes first, before anything depends on a graph.
  bool has_last_features() const override {
    return head_ || jumps() || (layers_.size() > 1 && layers_.back()->has_features());
  }
  at::Tensor last_features(const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const override;
  // A head reads rows of whole graphs, and what jumps comes from several layers.
  int num_stages() const override {
    return head_ || jumps() ? 0 : static_cast<int>(layers_.size());
  }
  at::Tensor prepare(int stage, const at::Tensor& h, const Mode& mode) const override;
  at::Tensor stage(int number, const Propagation& hop, const at::Tensor& rows,
                   const Mode& mode) const override;
  bool needs_no_edges(int stage) const override {
    return layers_[static_cast<size_t>(stage)]->needs_no_edges() &&
           (stage == 0 || !options_.residual);
  }

 private:
  // The rows behind the first `count` layers.
  at::Tensor run(size_t count, const GraphBatch& batch, const at::Tensor& embedded,
                 const Mode& mode) const;

  bool is_hidden(size_t l) const { return head_ || jumps() || l + 1 < layers_.size(); }
  bool jumps() const { return options_.jumping != Jumping::kLast; }
  void add_norm(int index, int64_t width);
  void add_output(const Plan& plan, int64_t inputs);
  at::Tensor behind_layer(size_t l, const Propagation& hop, const at::Tensor& before, at::Tensor h,
                          const Mode& mode) const;
  at::Tensor normalised(size_t l, const at::Tensor& h, const Mode& mode) const;

  StackOptions options_;
  bool jumps_from_embedding_;
  int64_t state_width_ = 0;  // floats of a row that are kept beside the current layer
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<BatchNorm> norms_;            // of hidden layers; without moments for norm = layer
  at::Tensor output_weight_, output_bias_;  // of nodes, with model.jumping
  std::unique_ptr<GraphHead> head_;         // null: rows are the outputs
};

}  // namespace emgnn
