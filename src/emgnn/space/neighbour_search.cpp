// SPDX-License-Identifier: Apache-2.0
// Trees of random hyperplanes bring together rows that are close (Dasgupta and Freund 2008): in each
// tree a row is compared with its leaf. Then neighbours of neighbours are likely to be neighbours
// (NN-descent, Dong et al. 2011), in rounds that read the lists of the round before, so that no
// thread sees what another writes.
#include <emgnn/space/neighbour_search.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 64;
constexpr uint64_t kSeed = 0;  // a view is the same in every run

using Lists = std::vector<std::vector<int32_t>>;

// One tree: its rows in the order of its leaves.
struct Tree {
  std::vector<int32_t> row;    // [rows]
  std::vector<int32_t> begin;  // [rows] of the leaf that a row is in
  std::vector<int32_t> end;
};

class TreeBuilder {
 public:
  TreeBuilder(const UnitRows& rows, int64_t leaf, uint64_t number)
      : rows_(rows),
        leaf_(static_cast<size_t>(leaf)),
        rng_(kSeed, Stream::kNeighbours, number),
        plane_(static_cast<size_t>(rows.num_cols()), 0.0) {
    const auto n = static_cast<size_t>(rows.num_rows());
    tree_.row.resize(n);
    std::iota(tree_.row.begin(), tree_.row.end(), 0);
    tree_.begin.resize(n);
    tree_.end.resize(n);
  }

  Tree build() {
    std::vector<std::pair<size_t, size_t>> open = {{0, tree_.row.size()}};
    while (!open.empty()) {
      check_stop();
      const auto [begin, end] = open.back();
      open.pop_back();
      if (end - begin <= leaf_) {
        close(begin, end);
        continue;
      }
      const size_t middle = split(begin, end);
      open.emplace_back(begin, middle);
      open.emplace_back(middle, end);
    }
    return std::move(tree_);
  }

 private:
  void close(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(tree_.row[i]);
      tree_.begin[row] = static_cast<int32_t>(begin);
      tree_.end[row] = static_cast<int32_t>(end);
    }
  }

  // Rows closer to one of two rows of the part than to the other. Where that leaves a side all but
  // empty (copies of one row, rows of zeros), halves.
  size_t split(size_t begin, size_t end) {
    const int32_t a = tree_.row[begin + rng_.below(end - begin)];
    const int32_t b = tree_.row[begin + rng_.below(end - begin)];
    rows_.add(a, 1.0, plane_);
    rows_.add(b, -1.0, plane_);
    const auto first = tree_.row.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = tree_.row.begin() + static_cast<std::ptrdiff_t>(end);
    const auto middle = std::stable_partition(
        first, last, [&](int32_t row) { return rows_.dot(row, plane_) > 0.0; });
    std::fill(plane_.begin(), plane_.end(), 0.0);
    const auto left = static_cast<size_t>(middle - first), all = end - begin;
    const bool lopsided = std::min(left, all - left) < all / 16;
    return begin + (lopsided ? all / 2 : left);
  }

  const UnitRows& rows_;
  size_t leaf_;
  Rng rng_;
  std::vector<double> plane_;  // [num_cols]
  Tree tree_;
};

// The closest of some candidates, with their ranks.
class Closest {
 public:
  Closest(const UnitRows& rows, int64_t keep)
      : rows_(rows),
        keep_(static_cast<size_t>(keep)),
        open_(static_cast<size_t>(rows.num_cols()), 0.0) {}

  // Of `candidates`, which may hold rows twice and `row` itself; it is left sorted.
  std::vector<int32_t> of(int32_t row, std::vector<int32_t>& candidates) {
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    found_.clear();
    rows_.add(row, 1.0, open_);
    for (const int32_t other : candidates) {
      const int64_t rank = distance_rank(rows_.dot(other, open_));
      if (rank < 0 && other != row) found_.emplace_back(rank, other);
    }
    rows_.add(row, -1.0, open_);  // 0 + x − x is exactly 0
    const size_t kept = std::min(keep_, found_.size());
    std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(kept),
                      found_.end());
    std::vector<int32_t> out;
    for (size_t i = 0; i < kept; ++i) out.push_back(found_[i].second);
    return out;
  }

 private:
  const UnitRows& rows_;
  size_t keep_;
  std::vector<double> open_;  // one row lies open, the others are walked
  std::vector<std::pair<int64_t, int32_t>> found_;
};

Lists from_trees(const UnitRows& rows, int64_t keep, const NeighbourSearch& options) {
  std::vector<Tree> trees(static_cast<size_t>(options.trees));
  parallel_for(options.trees, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t)
      trees[static_cast<size_t>(t)] =
          TreeBuilder(rows, options.leaf, static_cast<uint64_t>(t)).build();
  });
  Lists near(static_cast<size_t>(rows.num_rows()));
  parallel_for(rows.num_rows(), kRowGrain, [&](int64_t begin, int64_t end) {
    Closest closest(rows, keep);
    std::vector<int32_t> candidates;
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      candidates.clear();
      for (const Tree& tree : trees) {
        const auto leaf = tree.row.begin();
        candidates.insert(candidates.end(), leaf + tree.begin[static_cast<size_t>(i)],
                          leaf + tree.end[static_cast<size_t>(i)]);
      }
      near[static_cast<size_t>(i)] = closest.of(static_cast<int32_t>(i), candidates);
    }
  });
  return near;
}

// The lists, and of those that name a row so many again: in order of their numbers, so that a row
// that all others name costs no more than another.
Lists with_namers(const Lists& near, int64_t keep) {
  Lists out = near;
  const auto most = static_cast<size_t>(2 * keep);
  for (size_t i = 0; i < near.size(); ++i)
    for (const int32_t j : near[i])
      if (out[static_cast<size_t>(j)].size() < most)
        out[static_cast<size_t>(j)].push_back(static_cast<int32_t>(i));
  return out;
}

// One round; how many entries are new.
int64_t improve(const UnitRows& rows, int64_t keep, Lists& near) {
  const Lists around = with_namers(near, keep);
  std::atomic<int64_t> news = 0;
  parallel_for(rows.num_rows(), kRowGrain, [&](int64_t begin, int64_t end) {
    Closest closest(rows, keep);
    std::vector<int32_t> candidates;
    int64_t changed = 0;
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      const std::vector<int32_t>& close = around[static_cast<size_t>(i)];
      candidates = close;
      for (const int32_t j : close) {
        const std::vector<int32_t>& next = around[static_cast<size_t>(j)];
        candidates.insert(candidates.end(), next.begin(), next.end());
      }
      std::vector<int32_t> better = closest.of(static_cast<int32_t>(i), candidates);
      std::vector<int32_t>& here = near[static_cast<size_t>(i)];
      for (const int32_t j : better)
        changed += std::find(here.begin(), here.end(), j) == here.end() ? 1 : 0;
      here = std::move(better);
    }
    news += changed;
  });
  return news;
}

}  // namespace

int64_t distance_rank(double cosine) {
  constexpr double kTie = 1e-6;
  return cosine > kTie ? -std::llround(cosine / kTie) : 0;
}

std::vector<std::vector<int32_t>> approximate_nearest(const UnitRows& rows, int64_t k,
                                                      const NeighbourSearch& options) {
  const int64_t keep = std::max<int64_t>(k, 10);  // short lists lead nowhere
  Lists near = from_trees(rows, keep, options);
  for (int64_t round = 0; round < options.rounds; ++round) {
    const auto entries = static_cast<double>(rows.num_rows() * keep);
    if (static_cast<double>(improve(rows, keep, near)) < options.least_news * entries) break;
  }
  for (std::vector<int32_t>& list : near)
    if (list.size() > static_cast<size_t>(k)) list.resize(static_cast<size_t>(k));
  return near;
}

}  // namespace emgnn
