// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/edge_types.h>

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <set>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/space/node_view.h>

namespace emgnn {

namespace {

// What the types store on the entries of a hop, [entries, types], the node itself last.
at::Tensor type_weights(const Hop& hop, const UnionPattern& all) {
  const auto types = static_cast<int64_t>(all.weight.size()) + 1;
  at::Tensor out = at::empty({hop.pattern.num_entries(), types}, at::kFloat);
  float* to = out.data_ptr<float>();
  for (size_t i = 0; i < hop.output_rows.size(); ++i) {
    for (const auto [e, j] : hop.pattern.row(static_cast<int32_t>(i))) {
      const auto at = static_cast<size_t>(hop.entry[static_cast<size_t>(e)]);
      for (const std::vector<float>& weight : all.weight) *to++ = weight[at];
      *to++ = j == hop.self[i] ? 1.0F : 0.0F;
    }
  }
  return out;
}

std::vector<float> row_sums(const at::Tensor& weight) {
  const at::Tensor sum = weight.sum(1);
  return {sum.data_ptr<float>(), sum.data_ptr<float>() + sum.numel()};
}

EntryTypes first_types(const at::Tensor& weight) {
  EntryTypes out{.type = {}, .num_types = static_cast<int32_t>(weight.size(1))};
  const float* at = weight.data_ptr<float>();
  for (int64_t e = 0; e < weight.size(0); ++e, at += out.num_types) {
    int32_t type = 0;
    while (type + 1 < out.num_types && at[type] == 0.0F) ++type;
    out.type.push_back(type);
  }
  return out;
}

class EdgeTypeHop : public PatternPropagation {
 public:
  EdgeTypeHop(std::shared_ptr<const HopPattern> pattern, const at::Tensor& weight)
      : PatternPropagation(
            std::move(pattern), 1, [weight] { return row_sums(weight); },
            [weight] { return first_types(weight); }),
        weight_(weight) {}

 protected:
  c10::intrusive_ptr<Edges> make_edges() const override {
    c10::intrusive_ptr<Edges> edges = PatternPropagation::make_edges();
    edges->type_weight = weight_;
    return edges;
  }

 private:
  at::Tensor weight_;
};

// The graph is always the same: its hops are made once.
class EdgeTypeView : public NodeView {
 public:
  EdgeTypeView(const Features& features, const std::vector<int32_t>& input_rows,
               const NetworkNeeds& needs, Hops hops)
      : NodeView(features, input_rows, needs), hops_(std::move(hops)) {}

  using NodeView::Hops;

 protected:
  Hops hops(const Graphs& /*graphs*/) const override { return hops_; }
  Hops observed() const override { return hops_; }

 private:
  Hops hops_;
};

}  // namespace

EdgeTypeFamily::EdgeTypeFamily(std::shared_ptr<const Dataset> data)
    : data_(std::move(data)),
      types_(data_->node_type.empty()
                 ? data_->graph
                 : split_by_node_types(data_->graph, data_->node_type, data_->node_type_names)),
      union_(union_pattern(types_)) {
  std::set<std::string> names;
  for (const Relation& type : types_.relations) {
    if (type.name == kNoGraph) {
      throw UsageError(fmt::format(
          "an edge type is called {:?}: among edge types that name stands for the node itself; "
          "rename the edge type",
          type.name));
    }
    if (!names.insert(type.name).second) {
      throw UsageError(fmt::format(
          "two pairs of node types make the edge type {:?}; rename a node type", type.name));
    }
  }
}

std::vector<std::string> EdgeTypeFamily::coordinate_names() const {
  std::vector<std::string> out;
  for (const Relation& type : types_.relations) out.push_back(type.name);
  out.emplace_back(kNoGraph);
  return out;
}

std::shared_ptr<const FamilyView> EdgeTypeFamily::view(std::span<const int32_t> rows,
                                                       const NetworkNeeds& needs) const {
  EdgeTypeView::Hops hops;
  std::vector<int32_t> input_rows;
  for (Hop& hop : receptive_field(union_.pattern, rows, needs.num_hops)) {
    if (hops.empty()) input_rows = hop.input_rows;
    const at::Tensor weight = type_weights(hop, union_);
    hops.push_back(c10::make_intrusive<EdgeTypeHop>(
        std::make_shared<const HopPattern>(std::move(hop)), weight));
  }
  return std::make_shared<EdgeTypeView>(data_->features, input_rows, needs, std::move(hops));
}

}  // namespace emgnn
