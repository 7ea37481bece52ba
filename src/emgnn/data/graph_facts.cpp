// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graph_facts.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <span>

#include <emgnn/base/rng.h>

namespace emgnn {

namespace {

constexpr int64_t kFewestEdges = 20;  // the share of so many is off by 0.11 at most, on average
constexpr double kSparse = 0.25;      // of the entries; more are as good as all

void look_at_features(const Features& features, GraphFacts& facts) {
  facts.num_features = features.num_cols;
  if (features.num_cols == 0) return;
  const std::span<const float> values =
      features.is_sparse ? std::span<const float>(features.sparse.val) : features.dense;
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

// X R with R ~ N(0, 1) of few columns: distances stay as they are, up to noise (Johnson and
// Lindenstrauss).
constexpr int32_t kWidth = 64;

std::vector<float> projected(const Features& x) {
  std::vector<float> r(static_cast<size_t>(x.num_cols) * kWidth);
  Rng rng(0, Stream::kHashing, 1);
  for (float& v : r) v = static_cast<float>(rng.normal());
  std::vector<float> out(static_cast<size_t>(x.num_rows) * kWidth, 0.0F);
  const auto add = [&](int32_t i, int32_t j, float value) {
    float* to = out.data() + static_cast<size_t>(i) * kWidth;
    const float* from = r.data() + static_cast<size_t>(j) * kWidth;
    for (int32_t c = 0; c < kWidth; ++c) to[c] += value * from[c];
  };
  for (int32_t i = 0; i < x.num_rows; ++i) {
    if (x.is_sparse) {
      for (const auto [e, j] : x.sparse.row(i)) add(i, j, x.sparse.value(e));
    } else {
      for (int32_t j = 0; j < x.num_cols; ++j)
        add(i, j, x.dense[static_cast<size_t>(i) * x.num_cols + static_cast<size_t>(j)]);
    }
  }
  return out;
}

// D⁻¹ (A + I) H, in place.
void average_neighbours(const Csr& a, std::vector<float>& h) {
  std::vector<float> out = h;
  for (int32_t i = 0; i < a.num_rows; ++i) {
    float* to = out.data() + static_cast<size_t>(i) * kWidth;
    const auto row = a.row(i);
    for (const int32_t j : row.col) {
      const float* from = h.data() + static_cast<size_t>(j) * kWidth;
      for (int32_t c = 0; c < kWidth; ++c) to[c] += from[c];
    }
    for (int32_t c = 0; c < kWidth; ++c) to[c] /= static_cast<float>(row.col.size() + 1);
  }
  h = std::move(out);
}

// Of the validation nodes: the nearest mean of training nodes of a class.
double nearest_mean_accuracy(const Dataset& data, const std::vector<float>& h) {
  const auto classes = static_cast<size_t>(data.labels.num_classes());
  std::vector<double> mean(classes * kWidth, 0.0), count(classes, 0.0);
  const auto class_of = [&](int32_t i) {
    return static_cast<size_t>(data.labels.cls[static_cast<size_t>(i)]);
  };
  for (const int32_t i : data.split.train) {
    count[class_of(i)] += 1.0;
    for (size_t c = 0; c < kWidth; ++c)
      mean[class_of(i) * kWidth + c] += h[static_cast<size_t>(i) * kWidth + c];
  }
  int64_t right = 0;
  for (const int32_t i : data.split.validation) {
    double best = std::numeric_limits<double>::infinity();
    size_t answer = classes;
    for (size_t k = 0; k < classes; ++k) {
      if (count[k] == 0.0) continue;
      double distance = 0.0;
      for (size_t c = 0; c < kWidth; ++c) {
        const double d = h[static_cast<size_t>(i) * kWidth + c] - mean[k * kWidth + c] / count[k];
        distance += d * d;
      }
      if (distance < best) best = distance, answer = k;
    }
    right += answer == class_of(i) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(data.split.validation.size());
}

void look_at_hops(const Dataset& data, GraphFacts& facts) {
  if (data.labels.kind != LabelKind::kClasses || data.features.num_cols == 0) return;
  if (data.split.train.empty() || data.split.validation.empty()) return;
  const Csr edges = joined(data.graph);
  std::vector<float> h = projected(data.features);
  int done = 0;
  for (const int hops : GraphFacts::kHops) {
    for (; done < hops; ++done) average_neighbours(edges, h);
    facts.accuracy_after.push_back(nearest_mean_accuracy(data, h));
  }
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
  look_at_hops(data, out);
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
  if (!facts.accuracy_after.empty()) {
    std::vector<std::string> shares;
    for (size_t k = 0; k < facts.accuracy_after.size(); ++k)
      shares.push_back(
          fmt::format("{:.0f} after {}", 100.0 * facts.accuracy_after[k], GraphFacts::kHops[k]));
    out += fmt::format(", nearest class mean {} averages", fmt::join(shares, ", "));
  }
  return out;
}

}  // namespace emgnn
