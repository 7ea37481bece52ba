// SPDX-License-Identifier: Apache-2.0
// A batch of graphs for the edge kernels, and the same operations in float64, entry by entry.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/kernels/edge.h>
#include "reference.h"

namespace emgnn::kernels {

enum class Presence { kAll, kShared, kPerGraph };

struct EdgeCase {
  int64_t num_graphs, heads, width;
  bool shared_input;
  Presence presence;
};

using Doubles = std::vector<double>;

// Sums with what a tolerance is derived from.
struct Sums {
  Doubles value, magnitude;
  std::vector<int64_t> terms;

  explicit Sums(int64_t size) : value(idx(size)), magnitude(idx(size)), terms(idx(size)) {}
  void add(int64_t k, double x) {
    value[idx(k)] += x;
    magnitude[idx(k)] += std::abs(x);
    ++terms[idx(k)];
  }
  void expect_near(const float* got) const {
    for (size_t k = 0; k < value.size(); ++k)
      ASSERT_NEAR(got[k], value[k], tolerance(terms[k], magnitude[k])) << k;
  }
};

struct EdgeProblem {
  static constexpr int64_t kTypes = 3;
  static constexpr float kSlope = 0.2F;
  const Csr& a;
  Transposed t;
  EdgeCase c;
  int64_t rows, cols, entries, row_width;
  std::vector<float> weight;
  std::vector<int32_t> type;

  EdgeProblem(const Csr& pattern, const EdgeCase& which)
      : a(pattern),
        t(transpose(pattern)),
        c(which),
        rows(a.num_rows),
        cols(a.num_cols),
        entries(a.num_entries()),
        row_width(c.heads * c.width) {
    // A third of the entries is absent, and rows 4, 8, ... lose all of theirs.
    weight = random_floats(c.num_graphs * entries, 1);
    for (float& w : weight) w = w < -0.33F ? 0.0F : w;
    for (int64_t g = 0; g < c.num_graphs; ++g)
      for (int64_t i = 4; i < rows; i += 4)
        for (int32_t e = a.rowptr[idx(i)]; e < a.rowptr[idx(i) + 1]; ++e)
          weight[idx(g * entries + e)] = 0.0F;
    for (int64_t e = 0; e < entries; ++e) type.push_back(static_cast<int32_t>(e * 7 % kTypes));
  }

  EdgeBatch batch() const {
    return {.pattern = {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()},
            .transposed = {a.num_cols, a.num_rows, t.csr.rowptr.data(), t.csr.col.data()},
            .entry = t.entry.data(),
            .num_graphs = c.num_graphs,
            .heads = c.heads,
            .weight = {c.presence == Presence::kAll ? nullptr : weight.data(),
                       c.presence == Presence::kPerGraph ? entries : 0}};
  }

  // Sizes and places. A shared array has one block.
  int64_t blocks() const { return c.shared_input ? 1 : c.num_graphs; }
  int64_t block(int64_t g) const { return c.shared_input ? 0 : g; }
  int64_t on_edges() const { return c.num_graphs * entries * c.heads; }
  int64_t edge_at(int64_t g, int64_t e, int64_t h) const { return (g * entries + e) * c.heads + h; }
  int64_t left_at(int64_t g, int64_t i, int64_t h) const {
    return (block(g) * rows + i) * c.heads + h;
  }
  int64_t right_at(int64_t g, int64_t j, int64_t h) const {
    return (block(g) * cols + j) * c.heads + h;
  }
  int64_t in_at(int64_t g, int64_t j, int64_t k) const {
    return (block(g) * cols + j) * row_width + k;
  }
  int64_t out_at(int64_t g, int64_t i, int64_t k) const { return (g * rows + i) * row_width + k; }

  bool has(int64_t g, int64_t e) const {
    if (c.presence == Presence::kAll) return true;
    return weight[idx((c.presence == Presence::kPerGraph ? g * entries : 0) + e)] != 0.0F;
  }

  // Calls body(g, row, e, col) for every entry that a graph has.
  template <class Body>
  void for_present(const Body& body) const {
    for (int64_t g = 0; g < c.num_graphs; ++g)
      for (int64_t i = 0; i < rows; ++i)
        for (int32_t e = a.rowptr[idx(i)]; e < a.rowptr[idx(i) + 1]; ++e)
          if (has(g, e)) body(g, i, int64_t{e}, int64_t{a.col[idx(e)]});
  }

  // Random values on the entries. Those that a graph lacks are no numbers: they must not be read.
  std::vector<float> random_on_edges(uint64_t seed) const {
    std::vector<float> x = random_floats(on_edges(), seed);
    for (int64_t k = 0; k < on_edges(); ++k)
      if (!has(k / c.heads / entries, k / c.heads % entries)) x[idx(k)] = NAN;
    return x;
  }

  // Left + right + term is an odd multiple of 1/16: exact in float32, and far from the kink at 0.
  struct ScoreInputs {
    std::vector<float> left, right, term;
  };
  ScoreInputs score_inputs() const {
    const auto eighths = [](int64_t size, uint64_t seed, float shift) {
      std::vector<float> x = random_floats(size, seed);
      for (float& v : x) v = std::round(v * 8.0F) / 8.0F + shift;
      return x;
    };
    return {eighths(blocks() * rows * c.heads, 2, 0.0F),
            eighths(blocks() * cols * c.heads, 3, 0.0625F), eighths(kTypes * c.heads, 4, 0.0F)};
  }

  Doubles scores(const Doubles& left, const Doubles& right, const Doubles& term) const {
    Doubles out(idx(on_edges()));
    for_present([&](int64_t g, int64_t i, int64_t e, int64_t j) {
      for (int64_t h = 0; h < c.heads; ++h) {
        const double x = left[idx(left_at(g, i, h))] + right[idx(right_at(g, j, h))] +
                         term[idx(type[idx(e)] * c.heads + h)];
        out[idx(edge_at(g, e, h))] = x > 0 ? x : double{kSlope} * x;
      }
    });
    return out;
  }

  Doubles softmax(const Doubles& in) const {
    Doubles out(in.size()), total(idx(c.num_graphs * rows * c.heads));
    const auto row_at = [&](int64_t g, int64_t i, int64_t h) {
      return idx((g * rows + i) * c.heads + h);
    };
    for_present([&](int64_t g, int64_t i, int64_t e, int64_t) {
      for (int64_t h = 0; h < c.heads; ++h)
        total[row_at(g, i, h)] += std::exp(in[idx(edge_at(g, e, h))]);
    });
    for_present([&](int64_t g, int64_t i, int64_t e, int64_t) {
      for (int64_t h = 0; h < c.heads; ++h)
        out[idx(edge_at(g, e, h))] = std::exp(in[idx(edge_at(g, e, h))]) / total[row_at(g, i, h)];
    });
    return out;
  }

  Sums aggregate(const Doubles& values, const Doubles& in) const {
    Sums out(c.num_graphs * rows * row_width);
    for_present([&](int64_t g, int64_t i, int64_t e, int64_t j) {
      for (int64_t k = 0; k < row_width; ++k)
        out.add(out_at(g, i, k), values[idx(edge_at(g, e, k / c.width))] * in[idx(in_at(g, j, k))]);
    });
    return out;
  }
};

inline Doubles doubles(const std::vector<float>& x) { return {x.begin(), x.end()}; }

// Σ weight·x over the entries where both are numbers.
inline double weighted(const std::vector<float>& weight, const Doubles& x) {
  double sum = 0;
  for (size_t k = 0; k < x.size(); ++k)
    if (!std::isnan(weight[k])) sum += double{weight[k]} * x[k];
  return sum;
}

// <grad, d> against (f(x + εd) - f(x - εd)) / 2ε along a random direction d. The error of the
// quotient is O(ε²) + rounding/ε; both are far below the tolerance for ε = 1e-5 in float64.
template <class Loss>
void expect_derivative(const Loss& loss, const Doubles& x, const Doubles& grad) {
  constexpr double kStep = 1e-5;
  const std::vector<float> direction = random_floats(static_cast<int64_t>(x.size()), 99);
  Doubles up = x, down = x;
  double expected = 0, magnitude = 1;
  for (size_t k = 0; k < x.size(); ++k) {
    if (std::isnan(x[k])) continue;
    up[k] += kStep * double{direction[k]};
    down[k] -= kStep * double{direction[k]};
    expected += grad[k] * double{direction[k]};
    magnitude += std::abs(grad[k] * double{direction[k]});
  }
  EXPECT_NEAR((loss(up) - loss(down)) / (2 * kStep), expected, 1e-7 * magnitude);
}

}  // namespace emgnn::kernels
