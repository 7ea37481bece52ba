// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/acm.h>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/models/channel_mix.h>
#include <emgnn/models/channel_rows.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// [a | b | c] -> [a | b] and [b | c], columns of equal width.
struct SplitFilters : torch::autograd::Function<SplitFilters> {
  static variable_list forward(AutogradContext* /*ctx*/, const at::Tensor& products) {
    const int64_t width = products.size(-1) / 3;
    return {products.narrow(-1, 0, 2 * width).contiguous(),
            products.narrow(-1, width, 2 * width).contiguous()};
  }

  static variable_list backward(AutogradContext* /*ctx*/, variable_list grads) {
    const at::Tensor near = grads[0].contiguous(), own = grads[1].contiguous();
    const int64_t width = near.size(-1) / 2;
    std::vector<int64_t> shape = near.sizes().vec();
    shape.back() = 3 * width;
    at::Tensor out = at::empty(shape, near.options());
    const float *a = near.data_ptr<float>(), *b = own.data_ptr<float>();
    float* to = out.data_ptr<float>();
    for (int64_t i = 0; i < near.numel() / (2 * width); ++i, a += 2 * width, b += 2 * width) {
      to = std::copy_n(a, width, to);
      for (int64_t j = 0; j < width; ++j) *to++ = a[width + j] + b[j];
      to = std::copy_n(b + width, width, to);
    }
    return {out};
  }
};

}  // namespace

void describe(OptionVisitor& visitor, AcmOptions& options) {
  describe(visitor, options.stack);
  visitor.flag("model.structure", options.structure,
               "a fourth channel that sees the adjacency alone, with weights per node");
  visitor.flag("model.layer_norm", options.layer_norm,
               "normalise a node's channels before they are scored, as the paper writes it");
}

AcmLayer::AcmLayer(Network& network, const LayerPlace& place, const AcmOptions& options)
    : activation_{.kind = options.stack.activation, .slope = options.stack.slope},
      width_(place.outputs) {
  const Init init = options.stack.init;
  Rng rng(place.seed, Stream::kInit, static_cast<uint64_t>(place.index));
  const auto add = [&](const char* name, at::Tensor value) {
    return network.add_parameter(place.name(name), std::move(value), place.index);
  };
  std::vector<at::Tensor> filters;
  for (int c = 0; c < 3; ++c) filters.push_back(init_weight(place.inputs, width_, init, rng));
  filters_ = add("filters", at::cat(filters, 1));
  if (options.structure) {
    structure_ =
        network.add_parameter(place.name("structure"),
                              init_weight(place.num_nodes, width_, init, rng), place.index, true);
  }
  const int64_t c = num_channels();
  score_ = add("score", init_uniform({c, width_}, 1.0, rng));
  mixing_ = add("mixing", init_uniform({c, c}, 1.0 / std::sqrt(static_cast<double>(c)), rng));
  no_offset_ = at::zeros({c}, at::kFloat);
  if (!options.layer_norm) return;
  norm_scale_ = add("norm_scale", at::ones({c, width_}, at::kFloat));
  norm_shift_ = add("norm_shift", at::zeros({c, width_}, at::kFloat));
}

at::Tensor AcmLayer::embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                           const Mode& mode) const {
  return input_product(x, filters_, dropout, mode);
}

// u_c·N(H_c) + k_c = LN_c(H_c)·v_c with u_c = scale_c ⊙ v_c and k_c = shift_c·v_c.
ChannelScores AcmLayer::scores() const {
  const bool norm = norm_scale_.defined();
  return {.score = norm ? score_ * norm_scale_ : score_,
          .offset = norm ? (score_ * norm_shift_).sum(1) : no_offset_,
          .mixing = mixing_,
          .normalises = norm};
}

void AcmLayer::check_nodes(const Propagation& hop) const {
  const auto num_rows = static_cast<int64_t>(hop.input_nodes().size());
  EMGNN_CHECK(num_rows <= structure_.size(0),
              "acm-gcn+: the graph has more nodes than the network was made for", num_rows);
}

// A node's own weight in S = D⁻¹ (A + I) is 1/D, so A W_A = (S W_A) / diag(S) − W_A.
at::Tensor AcmLayer::from_embedded(const Propagation& hop, const at::Tensor& embedded,
                                   const Mode& /*mode*/) const {
  const double factor = structure_.defined() ? 1.0 : static_cast<double>(num_channels());
  if (structure_.defined()) check_nodes(hop);
  if (const auto rows = distinct_rows(hop, embedded.dim() == 2)) {
    return channel_mix_of_rows(rows, embedded, structure_, scores(), activation_, factor);
  }
  const variable_list parts = SplitFilters::apply(embedded);
  ChannelProducts products{.near = hop.apply(parts[0]), .own = hop.self(parts[1])};
  if (structure_.defined()) {
    const std::vector<int32_t>& rows = hop.input_nodes();
    const bool all = static_cast<int64_t>(rows.size()) == structure_.size(0);
    const at::Tensor weight = all ? structure_ : at::index_select(structure_, 0, at::tensor(rows));
    products.around = hop.apply(weight);
    products.own_around = hop.self(weight);
    products.diagonal = hop.diagonal();
  }
  return channel_mix(products, scores(), activation_, factor);
}

at::Tensor AcmLayer::forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const {
  return from_embedded(hop, dense_product(h, filters_), mode);
}

}  // namespace emgnn
