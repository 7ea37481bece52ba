// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/mpnn.h>

#include <ATen/ATen.h>

#include <optional>

namespace emgnn {

namespace {

constexpr Nonlinearity kRelu{.kind = kernels::Activation::kRelu};

}  // namespace

void describe(OptionVisitor& visitor, MpnnOptions& options) {
  describe_hidden(visitor, options.hidden);
  visitor.integer("model.edge_hidden", options.edge_hidden, 1, 65536,
                  "hidden width of the perceptron that makes a matrix of what joins two atoms");
  visitor.integer("model.steps", options.steps, 1, 64, "rounds of messages between the atoms");
  describe_readout_steps(visitor, options.readout_steps);
  visitor.integer("model.readout_layers", options.readout_layers, 1, 16,
                  "layers of the LSTM that asks the atoms");
}

Mpnn::Mpnn(const MpnnOptions& options, const NetworkShape& shape, uint64_t seed)
    : options_(options) {
  const int64_t d = options.hidden;
  WeightMaker messages(*this, "messages.", 0, seed);
  atom_ = {messages, "atom", shape.num_features, d};
  edge_inner_ = {messages, "edge_inner", shape.num_entry_features, options.edge_hidden};
  edge_outer_ = {messages, "edge_outer", options.edge_hidden, d * d};
  message_bias_ = messages.uniform("bias", {d}, 0.0);
  gru_ = {messages, "gru", d, d};
  WeightMaker readout(*this, "readout.", 1, seed);
  readout_ = std::make_unique<Set2Set>(
      readout, Set2Set::Shape{d, options.readout_steps, options.readout_layers});
  head_ = {readout, "head", 2 * d, d};
  output_ = {readout, "output", d, shape.num_outputs};
}

NetworkNeeds Mpnn::needs() const {
  // A row's gates before and behind the state, and its neighbours.
  return {.num_hops = static_cast<int>(options_.steps), .widest_layer = 12 * options_.hidden};
}

at::Tensor Mpnn::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return bias_activation(input_product(x, atom_.weight(), 0.0, mode), atom_.bias(), kRelu, mode);
}

// M of some rows of the table of kinds, [rows, d, d].
at::Tensor Mpnn::matrices(const at::Tensor& entry_features, const Mode& mode) const {
  return edge_outer_(edge_inner_(entry_features, kRelu, mode))
      .view({-1, options_.hidden, options_.hidden});
}

at::Tensor Mpnn::atoms(const GraphBatch& batch, const at::Tensor& embedded,
                       const Mode& mode) const {
  at::Tensor h = embedded, m;
  const Propagation* prepared = nullptr;
  std::optional<KindProduct> product;
  for (int step = 0; step < static_cast<int>(options_.steps); ++step) {
    const Propagation& hop = batch.hop(step);
    if (&hop != prepared) {
      prepared = &hop;
      product.emplace(*hop.edges());
      m = matrices(hop.edges()->feature_table.index_select(0, at::tensor(product->kinds())), mode);
    }
    const at::Tensor message = bias_activation((*product)(h, m), message_bias_, kRelu, mode);
    h = gru_(message, hop.self(h));
  }
  return h;
}

at::Tensor Mpnn::last_features(const GraphBatch& batch, const at::Tensor& embedded,
                               const Mode& mode) const {
  return head_((*readout_)(*batch.items, atoms(batch, embedded, mode)), kRelu, mode);
}

at::Tensor Mpnn::forward(const GraphBatch& batch, const at::Tensor& embedded,
                         const Mode& mode) const {
  return output_(last_features(batch, embedded, mode));
}

}  // namespace emgnn
