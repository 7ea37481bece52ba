// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/weave.h>

#include <ATen/ATen.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

constexpr Nonlinearity kRelu{.kind = kernels::Activation::kRelu};

// The centres and deviations of the memberships.
constexpr std::array<float, 11> kCentre = {-1.645F, -1.080F, -0.739F, -0.468F, -0.228F, 0.0F,
                                           0.228F,  0.468F,  0.739F,  1.080F,  1.645F};
constexpr std::array<float, 11> kDeviation = {0.283F, 0.170F, 0.134F, 0.118F, 0.114F, 0.114F,
                                              0.114F, 0.118F, 0.134F, 0.170F, 0.283F};
constexpr double kLeastMembership = 1e-7;

at::Tensor constant(const std::array<float, 11>& values) {
  return at::tensor(at::ArrayRef<float>(values.data(), values.size()));
}

// [rows, width] -> [rows, 11 width], the eleven of a number side by side; they sum to 1.
at::Tensor memberships(const at::Tensor& y) {
  const at::Tensor off = (y.unsqueeze(2) - constant(kCentre)) / constant(kDeviation);
  const at::Tensor m = (off.square() * -0.5).exp() + kLeastMembership;
  return (m / m.sum(2, true)).flatten(1);
}

}  // namespace

void describe(OptionVisitor& visitor, WeaveOptions& options) {
  describe_layers(visitor, options.layers);
  describe_hidden(visitor, options.hidden);
  visitor.integer("model.readout_width", options.readout_width, 1, 65536,
                  "width of the atoms' rows that are added up");
  visitor.flag("model.gaussian", options.gaussian,
               "add up how much each number belongs to eleven Gaussians, not the number itself");
}

Weave::Weave(const WeaveOptions& options, const NetworkShape& shape, uint64_t seed)
    : options_(options) {
  const int64_t d = options.hidden, g = options.readout_width;
  int64_t atom = shape.num_features, entry = shape.num_entry_features;
  for (int l = 0; l < static_cast<int>(options.layers); ++l) {
    WeightMaker make(*this, fmt::format("layers.{}.", l), l, seed);
    Layer layer;
    layer.atom = {make, "atom", atom, d};
    layer.from_entry = {make, "from_entry", entry, d};
    layer.to_atom = {make, "to_atom", 2 * d, d};
    if (l + 1 < options.layers) {
      layer.left = {make, "left", atom, d};
      layer.right = {make, "right", atom, d};
      layer.entry = {make, "entry", entry, d};
      layer.to_entry = {make, "to_entry", 3 * d, d};
    }
    layers_.push_back(std::move(layer));
    atom = entry = d;
  }
  const auto last = static_cast<int>(options.layers);
  WeightMaker make(*this, "readout.", last, seed);
  graph_ = {make, "graph", d, g};
  norm_ = make_batch_norm(*this, "readout.norm", g, last);
  if (options.gaussian)
    memberships_ = {make, "memberships", static_cast<int64_t>(kCentre.size()) * g, g};
  output_ = {make, "output", g, shape.num_outputs};
}

NetworkNeeds Weave::needs() const {
  // Three or four entries of an atom, each with three parts; or its memberships.
  const int64_t members =
      options_.gaussian ? static_cast<int64_t>(kCentre.size()) * options_.readout_width : 0;
  return {.num_hops = static_cast<int>(options_.layers),
          .widest_layer = std::max(12 * options_.hidden, members),
          .keeps_entries = true};
}

at::Tensor Weave::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& /*mode*/) const {
  return x->dense;
}

at::Tensor Weave::atoms(const Layer& layer, const Entries& entries, const at::Tensor& h,
                        const at::Tensor& from_entries, const Mode& mode) const {
  const at::Tensor sum = entries.targets.sum(from_entries * entries.weight);
  return layer.to_atom(at::cat({layer.atom(h, kRelu, mode), sum}, 1), kRelu, mode);
}

// `own` is relu(P₄ f).
at::Tensor Weave::entries_of(const Layer& layer, const Entries& entries, const at::Tensor& h,
                             const at::Tensor& own, const Mode& mode) const {
  const at::Tensor left = layer.left(h), right = layer.right(h);
  const at::Tensor ends = entries.sources.take(at::cat({left, right}, 1)) +
                          entries.targets.take(at::cat({right, left}, 1));
  return layer.to_entry(at::cat({at::relu(ends), own}, 1), kRelu, mode);
}

at::Tensor Weave::read_out(const Segments& items, const at::Tensor& y) const {
  if (!options_.gaussian) return items.sum(y);
  return at::tanh(memberships_(items.sum(memberships(y))));
}

at::Tensor Weave::forward(const GraphBatch& batch, const at::Tensor& embedded,
                          const Mode& mode) const {
  return output_(last_features(batch, embedded, mode));
}

at::Tensor Weave::last_features(const GraphBatch& batch, const at::Tensor& embedded,
                                const Mode& mode) const {
  const Propagation& hop = batch.hop(0);
  EMGNN_DCHECK(hop.num_inputs() == hop.num_outputs());
  const c10::intrusive_ptr<Edges>& edges = hop.edges();
  const Entries entries{RowIndex(edges->row, edges->pattern.num_rows),
                        RowIndex(edges->pattern.col.to_vector(), edges->pattern.num_cols),
                        RowIndex(edges->feature, edges->feature_table.size(0)),
                        edges->weight.view({-1, 1})};
  at::Tensor h = embedded, f;  // before the first layer f is that of the entry's kind
  for (size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const auto of_entries = [&](const Linear& map) {
      return l == 0 ? entries.kinds.take(map(edges->feature_table, kRelu, mode))
                    : map(f, kRelu, mode);
    };
    const at::Tensor next = atoms(layer, entries, h, of_entries(layer.from_entry), mode);
    if (l + 1 < layers_.size()) f = entries_of(layer, entries, h, of_entries(layer.entry), mode);
    h = next;
  }
  return read_out(*batch.items, norm_(at::tanh(graph_(h)), mode));
}

}  // namespace emgnn
