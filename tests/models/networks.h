// SPDX-License-Identifier: Apache-2.0
// Small networks of every kind, by name.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include <emgnn/models/acm.h>
#include <emgnn/models/attentive_fp.h>
#include <emgnn/models/dense_layer.h>
#include <emgnn/models/gat.h>
#include <emgnn/models/gcn.h>
#include <emgnn/models/gcn_star.h>
#include <emgnn/models/gin.h>
#include <emgnn/models/mpnn.h>
#include <emgnn/models/sgc.h>
#include <emgnn/models/weave.h>

namespace emgnn {

// A stack of one kind of layer; `more` is what its constructor takes beside the options.
template <class LayerKind, class Options, class... More>
std::shared_ptr<Network> make_stack(const LayerStack::Plan& plan, const Options& options,
                                    More... more) {
  return std::make_shared<LayerStack>(plan, [&](Network& network, const LayerPlace& place) {
    return std::make_unique<LayerKind>(network, place, options, more...);
  });
}

template <class LayerKind, class Options>
std::shared_ptr<Network> make_stack(const Options& options, const NetworkShape& shape,
                                    const HeadOptions& head = {}) {
  return make_stack<LayerKind>({.stack = options.stack,
                                .head = head,
                                .shape = shape,
                                .seed = 6,
                                .hidden_outputs = options.stack.hidden},
                               options);
}

inline std::shared_ptr<Network> make_gat(const GatOptions& options, bool weighted,
                                         const NetworkShape& shape, const HeadOptions& head = {}) {
  return make_stack<GatLayer>({.stack = options.stack,
                               .head = head,
                               .shape = shape,
                               .seed = 6,
                               .hidden_outputs = options.heads * options.stack.hidden},
                              options, weighted);
}

inline std::shared_ptr<Network> make_mlp(const StackOptions& stack, const NetworkShape& shape,
                                         const HeadOptions& head = {}) {
  return make_stack<DenseLayer>(
      {.stack = stack, .head = head, .shape = shape, .seed = 6, .hidden_outputs = stack.hidden},
      stack);
}

// One of "gcn", "gcn-separate", "acm", "acm-structure", "gat", "gat-weighted", "gin", "sgc",
// "gcn-star", "gcn-star-affine", "mlp", "mpnn", "attentivefp", "weave".
inline std::shared_ptr<Network> make_network(const std::string& name, const StackOptions& stack,
                                             const NetworkShape& shape) {
  const HeadOptions head{.head = 4, .head_dropout = stack.dropout};
  if (name == "gcn") return make_stack<GcnLayer>(GcnOptions{.stack = stack}, shape, head);
  if (name == "gcn-separate") {
    return make_stack<GcnLayer>(GcnOptions{.stack = stack, .self = SelfWeights::kSeparate}, shape,
                                head);
  }
  if (name.starts_with("acm"))
    return make_stack<AcmLayer>(AcmOptions{stack, name == "acm-structure"}, shape, head);
  if (name.starts_with("gat")) {
    const GatOptions options{
        .stack = stack, .heads = 2, .output_heads = 3, .attention_dropout = stack.dropout};
    return make_gat(options, name == "gat-weighted", shape, head);
  }
  if (name == "gin") return make_stack<GinLayer>(GinOptions{.stack = stack}, shape, head);
  if (name == "sgc")
    return std::make_shared<Sgc>(
        SgcOptions{.hops = 2, .input_dropout = stack.input_dropout, .init = stack.init}, shape, 6);
  if (name.starts_with("gcn-star")) {
    return std::make_shared<GcnStar>(
        GcnStarOptions{.stack = stack, .affine = name == "gcn-star-affine"}, head, shape, 6);
  }
  if (name == "mlp") return make_mlp(stack, shape, head);
  if (name == "mpnn") {
    return std::make_shared<Mpnn>(
        MpnnOptions{
            .hidden = stack.hidden, .edge_hidden = 7, .steps = stack.layers, .readout_steps = 2},
        shape, 6);
  }
  if (name == "attentivefp") {
    return std::make_shared<AttentiveFp>(
        AttentiveFpOptions{
            .layers = stack.layers, .hidden = stack.hidden, .dropout = stack.dropout},
        shape, 6);
  }
  if (name == "weave") {
    return std::make_shared<Weave>(
        WeaveOptions{.layers = stack.layers, .hidden = stack.hidden, .readout_width = 6}, shape, 6);
  }
  throw std::logic_error("no network " + name);
}

inline at::Tensor run_network(const Network& network, const GraphBatch& batch,
                              const Mode& mode = {}) {
  return network.forward(batch, network.embed(batch.input, mode), mode);
}

}  // namespace emgnn
