// SPDX-License-Identifier: Apache-2.0
// Nearest rows by comparing all pairs. Sparse rows by an inverted index; dense rows tile by tile:
// float32 products find the few that can be among the nearest, float64 decides.
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/gemm.h>
#include <emgnn/space/cosine_pairs.h>
#include <emgnn/space/neighbour_search.h>

namespace emgnn {

namespace {

using Lists = std::vector<std::vector<int32_t>>;

constexpr int64_t kRowGrain = 16;
// A tile of products, [kTileRows, kTileCols], stays in the second-level cache.
constexpr int64_t kTileRows = 96;
constexpr int64_t kTileCols = 256;

// The k that come first of (rank, row), in order.
std::vector<int32_t> first_of(std::vector<std::pair<int64_t, int32_t>>& found, int64_t k) {
  const auto kept = std::min(static_cast<size_t>(k), found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  std::vector<int32_t> out;
  for (size_t i = 0; i < kept; ++i) out.push_back(found[i].second);
  return out;
}

Lists nearest_sparse(const Csr& rows, int64_t k, const SkipPair& skip) {
  const Csr columns = transpose(rows).csr;
  const auto n = static_cast<size_t>(rows.num_rows);
  Lists near(n);
  parallel_for(rows.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    std::vector<double> cosine(n);
    std::vector<std::pair<int64_t, int32_t>> found;
    for (auto i = static_cast<int32_t>(begin); i < end; ++i) {
      check_stop();
      std::fill(cosine.begin(), cosine.end(), 0.0);
      for (const auto [e, word] : rows.row(i)) {
        const double here = rows.value(e);
        for (const auto [p, other] : columns.row(word))
          cosine[static_cast<size_t>(other)] += here * columns.value(p);
      }
      found.clear();
      for (int32_t other = 0; other < rows.num_rows; ++other) {
        const int64_t rank = distance_rank(cosine[static_cast<size_t>(other)]);
        if (rank < 0 && other != i && !(skip && skip(i, other))) found.emplace_back(rank, other);
      }
      near[static_cast<size_t>(i)] = first_of(found, k);
    }
  });
  return near;
}

// Rows at length 1, dense.
struct Block {
  int64_t num_rows, width;
  const float* val;
  const float* row(int64_t i) const { return val + i * width; }

  double cosine(int64_t i, int64_t j) const {
    double sum = 0.0;
    for (int64_t c = 0; c < width; ++c) sum += double{row(i)[c]} * row(j)[c];
    return sum;
  }
};

// Those that can still be among the k nearest of one row. With P the k-th largest product so far,
// the k-th nearest has a cosine of at least P − ε, and one of the same rank of at least P − ε − 2 δ,
// δ the width of a rank: a product below P − 2 (ε + δ) is out.
class Shortlist {
 public:
  Shortlist(int64_t k, double margin) : k_(static_cast<size_t>(k)), margin_(margin) {}

  float floor() const { return floor_; }
  void offer(float product, int32_t other) {
    found_.emplace_back(product, other);
    if (found_.size() >= 4 * k_ + next_) shorten();
  }
  const std::vector<std::pair<float, int32_t>>& found() const { return found_; }

 private:
  void shorten() {
    const auto kth = found_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(found_.begin(), kth, found_.end(), std::greater<>());
    floor_ = static_cast<float>(kth->first - 2.0 * margin_);
    std::erase_if(found_, [&](const auto& one) { return one.first < floor_; });
    next_ = std::max<size_t>(64, found_.size());  // copies of one row cannot be told apart
  }

  size_t k_, next_ = 64;
  double margin_;
  float floor_ = -std::numeric_limits<float>::infinity();
  std::vector<std::pair<float, int32_t>> found_;
};

class DenseTile {
 public:
  DenseTile(const Block& rows, int64_t k, const SkipPair& skip)
      : rows_(rows), k_(k), skip_(skip), margin_(detail::float_error(rows.width) + 1e-6) {}

  void run(int64_t first, int64_t last, Lists& near) {
    std::vector<Shortlist> best(static_cast<size_t>(last - first), Shortlist(k_, margin_));
    product_.resize(static_cast<size_t>(kTileRows * kTileCols));
    for (int64_t col = 0; col < rows_.num_rows; col += kTileCols) {
      check_stop();
      const int64_t count = std::min(kTileCols, rows_.num_rows - col);
      kernels::gemm_nt(last - first, count, rows_.width, rows_.row(first), rows_.row(col),
                       product_.data());
      for (int64_t i = first; i < last; ++i)
        offer(i, col, count, product_.data() + (i - first) * count,
              best[static_cast<size_t>(i - first)]);
    }
    std::vector<std::pair<int64_t, int32_t>> found;
    for (int64_t i = first; i < last; ++i) {
      found.clear();
      for (const auto& [product, other] : best[static_cast<size_t>(i - first)].found()) {
        const int64_t rank = distance_rank(rows_.cosine(i, other));
        if (rank < 0) found.emplace_back(rank, other);
      }
      near[static_cast<size_t>(i)] = first_of(found, k_);
    }
  }

 private:
  void offer(int64_t i, int64_t col, int64_t count, const float* product, Shortlist& best) const {
    for (int64_t c = 0; c < count; ++c) {
      if (!(product[c] > best.floor()) || !(product[c] > -margin_) || col + c == i) continue;
      const auto other = static_cast<int32_t>(col + c);
      if (skip_ && skip_(static_cast<int32_t>(i), other)) continue;
      best.offer(product[c], other);
    }
  }

  const Block& rows_;
  int64_t k_;
  const SkipPair& skip_;
  double margin_;
  std::vector<float> product_;
};

Lists nearest_dense(const Block& rows, int64_t k, const SkipPair& skip) {
  Lists near(static_cast<size_t>(rows.num_rows));
  parallel_for(rows.num_rows, kTileRows, [&](int64_t begin, int64_t end) {
    DenseTile tile(rows, k, skip);
    for (int64_t first = begin; first < end; first += kTileRows)
      tile.run(first, std::min(end, first + kTileRows), near);
  });
  return near;
}

// Sparse rows of which a quarter or more is there, laid out.
std::vector<float> laid_out(const Csr& rows) {
  std::vector<float> out(static_cast<size_t>(rows.num_rows) * static_cast<size_t>(rows.num_cols));
  for (int32_t i = 0; i < rows.num_rows; ++i)
    for (const auto [e, c] : rows.row(i))
      out[static_cast<size_t>(int64_t{i} * rows.num_cols + c)] = rows.value(e);
  return out;
}

}  // namespace

std::vector<std::vector<int32_t>> exact_nearest(const UnitRows& rows, int64_t k,
                                                const SkipPair& skip) {
  if (k < 1) return Lists(static_cast<size_t>(rows.num_rows()));
  if (!rows.is_sparse()) {
    const float* first = rows.num_rows() == 0 ? nullptr : rows.dense_row(0).data();
    return nearest_dense({rows.num_rows(), rows.num_cols(), first}, k, skip);
  }
  const Csr& x = rows.sparse();
  if (4 * x.num_entries() < int64_t{x.num_rows} * x.num_cols) return nearest_sparse(x, k, skip);
  const std::vector<float> dense = laid_out(x);
  return nearest_dense({x.num_rows, x.num_cols, dense.data()}, k, skip);
}

}  // namespace emgnn
