// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/edge_score.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>
#include <emgnn/space/unit_rows.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 16;
constexpr int64_t kMaxFitted = 200'000;  // edges that the regression is fitted to
constexpr size_t kFeatures = 3;

// The features of the pairs of one row at a time.
class RowFeatures {
 public:
  RowFeatures(const UnitRows& rows, const Csr& graph)
      : rows_(rows),
        graph_(graph),
        own_(static_cast<size_t>(rows.num_cols())),
        around_(static_cast<size_t>(rows.num_cols())),
        near_(static_cast<size_t>(graph.num_rows)) {}

  void move_to(int32_t node) {
    std::fill(own_.begin(), own_.end(), 0.0);
    std::fill(around_.begin(), around_.end(), 0.0);
    if (node_ >= 0)
      for (const int32_t j : graph_.row(node_).col) near_[static_cast<size_t>(j)] = 0;
    node_ = node;
    rows_.add(node, 1.0, own_);
    for (const int32_t j : graph_.row(node).col) {
      rows_.add(j, 1.0, around_);
      near_[static_cast<size_t>(j)] = 1;
    }
    square_ = 0.0;
    for (const double x : around_) square_ += x * x;
  }

  double cosine(int32_t other) const { return rows_.dot(other, own_); }

  // Of `other` with the sum of the node's other neighbours.
  double neighbourhood(int32_t other) const {
    constexpr double kTiny = 1e-9;
    double along = rows_.dot(other, around_), square = square_;
    if (near_[static_cast<size_t>(other)] != 0) {
      const double own = rows_.square(other);
      square += own - 2.0 * along;
      along -= own;
    }
    return square > kTiny ? along / std::sqrt(square) : 0.0;
  }

  int64_t common(int32_t other) const {
    int64_t count = 0;
    for (const int32_t k : graph_.row(other).col) count += near_[static_cast<size_t>(k)];
    return count;
  }

 private:
  const UnitRows& rows_;
  const Csr& graph_;
  int32_t node_ = -1;
  std::vector<double> own_, around_;  // [features]
  std::vector<uint8_t> near_;         // [nodes]: is a neighbour
  double square_ = 0.0;               // |around_|²
};

// As many pairs as asked for, or a few less: the source of one edge and the target of another.
Csr random_pairs(const Csr& graph, int64_t count) {
  std::vector<int32_t> source(graph.col.size());
  for (int32_t i = 0; i < graph.num_rows; ++i)
    for (const auto [e, j] : graph.row(i)) source[static_cast<size_t>(e)] = i;
  Rng rng(0, Stream::kPairs);
  const auto any = [&] { return static_cast<size_t>(rng.below(graph.col.size())); };
  Coo pairs;
  for (int64_t k = 0; k < count; ++k) {
    const int32_t i = source[any()], j = graph.col[any()];
    const std::span<const int32_t> near = graph.row(i).col;
    if (i == j || std::binary_search(near.begin(), near.end(), j)) continue;
    pairs.row.push_back(i);
    pairs.col.push_back(j);
  }
  return csr_from_coo(graph.num_rows, graph.num_rows, pairs, Duplicates::kKeepFirst);
}

// Some of the edges, all if there are few.
Csr some_edges(const Csr& graph) {
  if (graph.num_entries() <= kMaxFitted) return graph;
  Rng rng(0, Stream::kPairs, 1);
  Coo kept;
  for (int32_t i = 0; i < graph.num_rows; ++i) {
    for (const int32_t j : graph.row(i).col) {
      if (rng.below(static_cast<uint64_t>(graph.num_entries())) >= uint64_t{kMaxFitted}) continue;
      kept.row.push_back(i);
      kept.col.push_back(j);
    }
  }
  return csr_from_coo(graph.num_rows, graph.num_rows, kept, Duplicates::kKeepFirst);
}

using Row = std::array<double, kFeatures + 1>;  // the constant, then the features

Row row_of(const PairFeatures& f, size_t e) {
  return {1.0, f.cosine[e], f.neighbourhood[e], f.common[e]};
}

// Solves h x = g by Gauss elimination; h is positive definite.
Row solve(std::array<Row, kFeatures + 1> h, Row g) {
  const size_t n = g.size();
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = k + 1; i < n; ++i) {
      const double factor = h[i][k] / h[k][k];
      for (size_t j = k; j < n; ++j) h[i][j] -= factor * h[k][j];
      g[i] -= factor * g[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; ++j) g[k] -= h[k][j] * g[j];
    g[k] /= h[k][k];
  }
  return g;
}

double log_odds(const Row& w, const Row& x) {
  double sum = 0.0;
  for (size_t k = 0; k < w.size(); ++k) sum += w[k] * x[k];
  return sum;
}

// Logistic regression of both sides, held to 0 as by one observation.
class Regression {
 public:
  Regression(const PairFeatures& edges, const PairFeatures& others)
      : edges_(edges), others_(others) {}

  // Newton's method; a step that overshoots is halved.
  Row fitted() const {
    constexpr int kIterations = 50, kHalvings = 30;
    constexpr double kDone = 1e-9;
    Row w{};
    double value = objective(w);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      Row step = newton_step(w);
      Row next = moved(w, step, 1.0);
      double scale = 1.0;
      for (int k = 0; k < kHalvings && !(objective(next) <= value); ++k)
        next = moved(w, step, scale *= 0.5);
      const double before = std::exchange(value, objective(next));
      w = next;
      if (before - value <= kDone * (1.0 + before)) break;
    }
    return w;
  }

 private:
  static Row moved(Row w, const Row& step, double scale) {
    for (size_t k = 0; k < w.size(); ++k) w[k] += scale * step[k];
    return w;
  }

  // log(1 + e^-z) of edges, log(1 + e^z) of others, and |w|²/2.
  double objective(const Row& w) const {
    double sum = 0.0;
    for (const double weight : w) sum += 0.5 * kHeld * weight * weight;
    const auto add = [&](const PairFeatures& part, double sign) {
      for (size_t e = 0; e < part.cosine.size(); ++e) {
        const double z = -sign * log_odds(w, row_of(part, e));
        sum += std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
      }
    };
    add(edges_, 1.0);
    add(others_, -1.0);
    return sum;
  }

  Row newton_step(const Row& w) const {
    Row gradient{};
    std::array<Row, kFeatures + 1> curvature{};
    for (size_t k = 0; k < w.size(); ++k) {
      gradient[k] = -kHeld * w[k];
      curvature[k][k] = kHeld;
    }
    const auto add = [&](const PairFeatures& part, double truth) {
      for (size_t e = 0; e < part.cosine.size(); ++e) {
        const Row x = row_of(part, e);
        const double p = 1.0 / (1.0 + std::exp(-log_odds(w, x)));
        for (size_t k = 0; k < w.size(); ++k) {
          gradient[k] += (truth - p) * x[k];
          for (size_t l = 0; l < w.size(); ++l) curvature[k][l] += p * (1.0 - p) * x[k] * x[l];
        }
      }
    };
    add(edges_, 1.0);
    add(others_, 0.0);
    return solve(curvature, gradient);
  }

  static constexpr double kHeld = 1.0;
  const PairFeatures& edges_;
  const PairFeatures& others_;
};

}  // namespace

PairFeatures pair_features(const Features& features, const Csr& graph, const Csr& pairs) {
  const UnitRows rows(features);
  const size_t entries = pairs.col.size();
  PairFeatures out{.cosine = std::vector<float>(entries),
                   .neighbourhood = std::vector<float>(entries),
                   .common = std::vector<float>(entries)};
  // One direction of `neighbourhood` at a time.
  const auto add = [&](const Csr& order, const std::vector<int32_t>& entry) {
    parallel_for(order.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
      RowFeatures row(rows, graph);
      for (int64_t i = begin; i < end; ++i) {
        const CsrRow others = order.row(static_cast<int32_t>(i));
        if (others.col.empty()) continue;
        row.move_to(static_cast<int32_t>(i));
        for (const auto [e, j] : others) {
          const auto at = static_cast<size_t>(entry.empty() ? e : entry[static_cast<size_t>(e)]);
          out.cosine[at] = static_cast<float>(row.cosine(j));
          out.neighbourhood[at] += static_cast<float>(0.5 * row.neighbourhood(j));
          // The shorter list is looked up in the longer one, in this direction or the other.
          if (graph.row(j).col.size() <= graph.row(static_cast<int32_t>(i)).col.size())
            out.common[at] = static_cast<float>(std::log1p(static_cast<double>(row.common(j))));
        }
      }
    });
  };
  add(pairs, {});
  const Transposed back = transpose(pairs);
  add(back.csr, back.entry);
  return out;
}

std::vector<float> edge_scores(const Features& features, const Csr& graph, const Csr& edges) {
  std::vector<float> out(edges.col.size());
  if (graph.col.empty()) return out;
  const Csr known = some_edges(graph);
  const PairFeatures real = pair_features(features, graph, known);
  const PairFeatures random =
      pair_features(features, graph, random_pairs(graph, known.num_entries()));
  const Row w = Regression(real, random).fitted();
  const PairFeatures own = pair_features(features, graph, edges);
  for (size_t e = 0; e < out.size(); ++e) out[e] = static_cast<float>(log_odds(w, row_of(own, e)));
  return out;
}

}  // namespace emgnn
