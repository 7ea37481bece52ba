// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graph_facts.h>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace emgnn {

namespace {

constexpr int64_t kFewestEdges = 20;  // the share of so many is off by 0.11 at most, on average
constexpr double kSparse = 0.25;      // of the entries; more are as good as all

void look_at_features(const Features& features, GraphFacts& facts) {
  facts.num_features = features.num_cols;
  if (features.num_cols == 0) return;
  const std::vector<float>& values = features.is_sparse ? features.sparse.val : features.dense;
  const auto is_zero = [](float v) { return v == 0.0F; };
  const auto zeros = std::count_if(values.begin(), values.end(), is_zero);
  const bool ones =
      std::all_of(values.begin(), values.end(), [](float v) { return v == 0.0F || v == 1.0F; });
  const int64_t stored =
      features.is_sparse ? features.sparse.num_entries() : static_cast<int64_t>(values.size());
  facts.num_feature_entries = stored - static_cast<int64_t>(zeros);
  const double share = static_cast<double>(facts.num_feature_entries) /
                       (static_cast<double>(features.num_rows) * features.num_cols);
  facts.features = ones              ? FeatureKind::kBinary
                   : share < kSparse ? FeatureKind::kSparse
                                     : FeatureKind::kDense;
}

// (share of edges inside a class − Σ_c q_c²) / (1 − Σ_c q_c²) with q_c the share of ends in class c
void look_at_classes(const Dataset& data, GraphFacts& facts) {
  const Labels& labels = data.labels;
  if (labels.kind != LabelKind::kClasses) return;
  std::vector<int32_t> cls(static_cast<size_t>(data.graph.num_nodes), kNoLabel);
  for (const int32_t i : data.split.train)
    cls[static_cast<size_t>(i)] = labels.cls[static_cast<size_t>(i)];
  std::vector<double> ends(static_cast<size_t>(labels.num_classes()), 0.0);
  int64_t entries = 0, alike = 0;
  for (const Relation& relation : data.graph.relations) {
    const Csr& a = relation.adjacency;
    for (int32_t i = 0; i < a.num_rows; ++i) {
      const int32_t own = cls[static_cast<size_t>(i)];
      if (own == kNoLabel) continue;
      for (const int32_t j : a.row(i).col) {
        const int32_t other = cls[static_cast<size_t>(j)];
        if (other == kNoLabel) continue;
        ++entries;
        alike += own == other ? 1 : 0;
        ends[static_cast<size_t>(own)] += 1.0;
      }
    }
  }
  facts.num_train_edges = entries / 2;
  if (facts.num_train_edges < kFewestEdges) return;
  const auto total = static_cast<double>(entries);
  double chance = 0.0;
  for (const double count : ends) chance += (count / total) * (count / total);
  if (chance >= 1.0) return;
  facts.homophily = (static_cast<double>(alike) / total - chance) / (1.0 - chance);
}

}  // namespace

const char* name_of(FeatureKind kind) {
  constexpr const char* kNames[] = {"no", "binary", "sparse", "dense"};
  return kNames[static_cast<size_t>(kind)];
}

GraphFacts graph_facts(const Dataset& data) {
  GraphFacts out{.num_nodes = data.graph.num_nodes,
                 .num_edge_types = static_cast<int64_t>(data.graph.relations.size()),
                 .num_train = static_cast<int64_t>(data.split.train.size()),
                 .num_validation = static_cast<int64_t>(data.split.validation.size())};
  int64_t entries = 0;
  for (const Relation& relation : data.graph.relations) entries += relation.adjacency.num_entries();
  out.num_edges = entries / 2;
  out.mean_degree =
      static_cast<double>(entries) / static_cast<double>(std::max<int64_t>(1, out.num_nodes));
  look_at_features(data.features, out);
  look_at_classes(data, out);
  return out;
}

std::string in_words(const GraphFacts& facts) {
  std::string out =
      fmt::format("{} nodes, mean degree {:.1f}, {} features", facts.num_nodes, facts.mean_degree,
                  facts.features == FeatureKind::kNone
                      ? "no"
                      : fmt::format("{} {}", facts.num_features, name_of(facts.features)));
  if (facts.num_edge_types > 1) out += fmt::format(", {} edge types", facts.num_edge_types);
  if (facts.homophily) {
    out += fmt::format(", homophily {:.2f} on {} edges between training nodes", *facts.homophily,
                       facts.num_train_edges);
  }
  return out;
}

}  // namespace emgnn
