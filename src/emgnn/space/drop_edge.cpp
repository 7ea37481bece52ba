// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/drop_edge.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/graph/node_pair.h>
#include <emgnn/graph/typed_graph.h>
#include <emgnn/space/node_view.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 256;

// A + I with the edges that one gradient step keeps.
class KeptEdges {
 public:
  // All of them.
  KeptEdges(const UnionPattern& graph, Normalisation normalisation)
      : KeptEdges(graph, normalisation, [](int32_t, int32_t) { return true; }) {}

  // Those of gradient step `step`.
  KeptEdges(const UnionPattern& graph, const DropEdgeOptions& options, uint64_t seed, uint64_t step)
      : KeptEdges(graph, options.normalisation,
                  [rate = options.rate, of_step = Rng(seed, Stream::kDropEdge, step).next_u64()](
                      int32_t i, int32_t j) {
                    return uniform_of(std::min(i, j), std::max(i, j), of_step, Stream::kDropEdge) >=
                           rate;
                  }) {}

  // Of S' on the entries of a hop.
  std::vector<float> values(const Hop& hop) const {
    std::vector<float> out(hop.entry.size());
    parallel_for(hop.pattern.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<int32_t>(begin); i < end; ++i) {
        const auto row = static_cast<size_t>(hop.output_rows[static_cast<size_t>(i)]);
        for (const auto [e, j] : hop.pattern.row(i)) {
          const auto col = static_cast<size_t>(hop.input_rows[static_cast<size_t>(j)]);
          const auto at = static_cast<size_t>(hop.entry[static_cast<size_t>(e)]);
          out[static_cast<size_t>(e)] = weight_[at] * left_[row] * (symmetric_ ? left_[col] : 1.0F);
        }
      }
    });
    return out;
  }

 private:
  template <class Keeps>
  KeptEdges(const UnionPattern& graph, Normalisation normalisation, const Keeps& keeps)
      : symmetric_(normalisation == Normalisation::kSymmetric),
        weight_(graph.pattern.col.size()),
        left_(graph.diagonal.size()) {
    parallel_for(graph.pattern.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<int32_t>(begin); i < end; ++i) fill_row(graph, i, keeps);
    });
  }

  // The sums are rounded as those of the graph without dropped edges are, so that the two agree bit
  // for bit where nothing is dropped.
  template <class Keeps>
  void fill_row(const UnionPattern& graph, int32_t i, const Keeps& keeps) {
    std::vector<double> degree(graph.weight.size());
    for (const auto [e, j] : graph.pattern.row(i)) {
      const auto at = static_cast<size_t>(e);
      if (i == j) weight_[at] = 1.0F;
      if (i == j || !keeps(i, j)) continue;
      for (size_t t = 0; t < degree.size(); ++t) {
        weight_[at] += graph.weight[t][at];
        degree[t] += graph.weight[t][at];
      }
    }
    double sum = 1.0;
    for (const double d : degree) sum += static_cast<float>(d);
    const auto d = static_cast<float>(sum);
    left_[static_cast<size_t>(i)] = symmetric_ ? 1.0F / std::sqrt(d) : 1.0F / d;
  }

  bool symmetric_;
  std::vector<float> weight_;  // [entries of the graph] of A' + I
  std::vector<float> left_;    // [nodes] D'⁻¹ or D'^-1/2
};

class DropEdgeView : public NodeView {
 public:
  using Patterns = std::vector<std::shared_ptr<const HopPattern>>;

  DropEdgeView(const Features& features, const NetworkNeeds& needs, Patterns patterns,
               std::shared_ptr<const UnionPattern> graph, const DropEdgeOptions& options)
      : NodeView(features, patterns.front()->hop.input_rows, needs),
        patterns_(std::move(patterns)),
        graph_(std::move(graph)),
        options_(options),
        whole_(hops_of(std::make_shared<const KeptEdges>(*graph_, options_.normalisation))) {}

  GraphBatch batch(const Draw& draw) const override {
    GraphBatch out = NodeView::batch(draw);
    out.hops = hops_of(std::make_shared<const KeptEdges>(*graph_, options_, draw.seed, draw.step));
    return out;
  }

 protected:
  Hops hops(const Graphs& /*graphs*/) const override { return whole_; }
  Hops observed() const override { return whole_; }

 private:
  Hops hops_of(const std::shared_ptr<const KeptEdges>& kept) const {
    Hops out;
    for (const auto& pattern : patterns_) {
      out.push_back(c10::make_intrusive<PatternPropagation>(
          pattern, 1, [kept, pattern] { return kept->values(pattern->hop); },
          [graph = graph_, pattern] {
            return EntryTypes{.type = entry_types(*graph, pattern->hop.entry),
                              .num_types = static_cast<int32_t>(graph->weight.size()) + 1};
          }));
    }
    return out;
  }

  Patterns patterns_;
  std::shared_ptr<const UnionPattern> graph_;
  DropEdgeOptions options_;
  Hops whole_;
};

}  // namespace

DropEdgeFamily::DropEdgeFamily(std::shared_ptr<const Dataset> data, const DropEdgeOptions& options)
    : data_(std::move(data)),
      union_(std::make_shared<const UnionPattern>(union_pattern(data_->graph))),
      options_(options) {}

LambdaPoint DropEdgeFamily::point(int64_t /*lam_id*/) const {
  return LambdaPoint(data_->graph.relations.size(), 1.0);
}

std::vector<std::string> DropEdgeFamily::coordinate_names() const {
  std::vector<std::string> out;
  for (const Relation& relation : data_->graph.relations) out.push_back(relation.name);
  return out;
}

std::shared_ptr<const FamilyView> DropEdgeFamily::view(std::span<const int32_t> rows,
                                                       const NetworkNeeds& needs) const {
  DropEdgeView::Patterns patterns;
  for (Hop& hop : receptive_field(union_->pattern, rows, needs.num_hops))
    patterns.push_back(std::make_shared<const HopPattern>(std::move(hop)));
  return std::make_shared<DropEdgeView>(data_->features, needs, std::move(patterns), union_,
                                        options_);
}

}  // namespace emgnn
