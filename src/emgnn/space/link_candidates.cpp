// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/link_candidates.h>

#include <algorithm>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/space/views.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 64;

bool has_entry(const Csr& a, int32_t row, int32_t col) {
  const std::span<const int32_t> cols = a.row(row).col;
  return std::binary_search(cols.begin(), cols.end(), col);
}

// The pairs of `a` above the diagonal.
void add_upper(const Csr& a, Coo& to) {
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (const int32_t j : a.row(i).col) {
      if (j <= i) continue;
      to.row.push_back(i);
      to.col.push_back(j);
    }
  }
}

// Calls body(column, value) for what is stored of a row.
template <class Body>
void for_features(const Features& x, int32_t row, const Body& body) {
  if (x.is_sparse) {
    for (const auto [e, c] : x.sparse.row(row)) body(c, x.sparse.value(e));
    return;
  }
  const float* values = x.dense.data() + static_cast<int64_t>(row) * x.num_cols;
  for (int32_t c = 0; c < x.num_cols; ++c) body(c, values[c]);
}

}  // namespace

LinkCandidates link_candidates(const Dataset& data, int64_t nearest) {
  const int32_t n = data.graph.num_nodes;
  LinkCandidates out{.adjacency = symmetrise(joined(data.graph)), .loops = nearest > 0};
  Coo pairs;
  add_upper(out.adjacency, pairs);
  if (nearest > 1) add_upper(nearest_rows(data.features, nearest - 1), pairs);
  for (int32_t i = 0; i < n && out.loops; ++i) {
    pairs.row.push_back(i);
    pairs.col.push_back(i);
  }
  out.pairs = csr_from_coo(n, n, pairs, Duplicates::kKeepFirst);
  out.pairs.val.clear();
  for (int32_t i = 0; i < n; ++i)
    for (const int32_t j : out.pairs.row(i).col)
      out.observed.push_back(has_entry(out.adjacency, i, j) ? 1 : 0);
  return out;
}

Csr draw_non_edges(const Csr& adjacency, int64_t draws, Rng rng) {
  const int32_t n = adjacency.num_rows;
  const uint64_t seed = rng.next_u64();
  std::vector<int32_t> drawn(static_cast<size_t>(n * draws));
  std::vector<int32_t> count(static_cast<size_t>(n));
  parallel_for(n, kRowGrain, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<int32_t>(begin); i < end; ++i) {
      Rng own(seed, Stream::kNonEdges, static_cast<uint64_t>(i));
      int32_t* const first = drawn.data() + i * draws;
      int32_t* last = first;
      for (int64_t k = 0; k < draws; ++k) {
        const auto j = static_cast<int32_t>(own.below(static_cast<uint64_t>(n)));
        if (j != i && !has_entry(adjacency, i, j)) *last++ = j;
      }
      std::sort(first, last);
      count[static_cast<size_t>(i)] = static_cast<int32_t>(std::unique(first, last) - first);
    }
  });
  Csr out{.num_rows = n, .num_cols = n};
  for (size_t i = 0; i < count.size(); ++i) {
    const auto first = drawn.begin() + static_cast<std::ptrdiff_t>(i) * draws;
    out.col.insert(out.col.end(), first, first + count[i]);
    out.rowptr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

SquaredDistances::SquaredDistances(std::shared_ptr<const Features> features)
    : features_(std::move(features)) {
  for (int32_t i = 0; i < features_->num_rows; ++i) {
    double sum = 0.0;
    for_features(*features_, i, [&](int32_t, float x) { sum += double{x} * x; });
    square_.push_back(sum);
  }
}

// ‖x_i‖² + ‖x_j‖² − 2 x_i·x_j
void SquaredDistances::fill_row(const Csr& pairs, int32_t i, const float* row, float* out) const {
  for (const auto [e, j] : pairs.row(i)) {
    double product = 0.0;
    for_features(*features_, j, [&](int32_t c, float x) { product += double{x} * row[c]; });
    const double both = square_[static_cast<size_t>(i)] + square_[static_cast<size_t>(j)];
    out[e] = static_cast<float>(std::max(0.0, both - 2.0 * product));
  }
}

std::vector<float> SquaredDistances::of(const Csr& pairs) const {
  std::vector<float> out(pairs.col.size());
  parallel_for(pairs.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    std::vector<float> row(static_cast<size_t>(features_->num_cols), 0.0F);
    for (auto i = static_cast<int32_t>(begin); i < end; ++i) {
      for_features(*features_, i, [&](int32_t c, float x) { row[static_cast<size_t>(c)] = x; });
      fill_row(pairs, i, row.data(), out.data());
      for_features(*features_, i, [&](int32_t c, float) { row[static_cast<size_t>(c)] = 0.0F; });
    }
  });
  return out;
}

}  // namespace emgnn
