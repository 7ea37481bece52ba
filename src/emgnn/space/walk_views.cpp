// SPDX-License-Identifier: Apache-2.0
// The views that walks over the graph make: two-hop, metapath, ppr.
#include <algorithm>
#include <span>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/space/sparse_row.h>
#include <emgnn/space/views.h>

namespace emgnn {

namespace {

constexpr int64_t kRowGrain = 64;
// More entries would fill the memory.
constexpr int64_t kMaxEntries = 200'000'000;

// Rows made one by one, in any order, put together.
class RowSet {
 public:
  explicit RowSet(int32_t num_rows) : num_rows_(num_rows), rows_(static_cast<size_t>(num_rows)) {}

  struct Row {
    std::vector<int32_t> col;  // ascending
    std::vector<float> val;    // empty: ones
  };
  Row& operator[](int64_t i) { return rows_[static_cast<size_t>(i)]; }

  Csr joined(const char* view) const {
    int64_t entries = 0;
    for (const Row& row : rows_) entries += static_cast<int64_t>(row.col.size());
    EMGNN_CHECK(entries <= kMaxEntries,
                fmt::format("space.views: {} has too many edges on this graph", view), entries);
    Csr out{.num_rows = num_rows_, .num_cols = num_rows_};
    for (const Row& row : rows_) {
      out.col.insert(out.col.end(), row.col.begin(), row.col.end());
      out.val.insert(out.val.end(), row.val.begin(), row.val.end());
      out.rowptr.push_back(static_cast<int32_t>(out.col.size()));
    }
    return out;
  }

 private:
  int32_t num_rows_;
  std::vector<Row> rows_;
};

RowSet::Row entries_of(SparseRow& numbers, int32_t but) {
  RowSet::Row out;
  numbers.sort();
  for (const int32_t at : numbers.touched()) {
    if (at == but) continue;
    out.col.push_back(at);
    out.val.push_back(static_cast<float>(numbers.at(at)));
  }
  return out;
}

// A walker goes on to a neighbour of the type, each as likely as the others.
void one_step(const Csr& adjacency, std::span<const int32_t> node_type, int32_t type,
              const SparseRow& here, SparseRow& next) {
  const auto fits = [&](int32_t to) { return node_type[static_cast<size_t>(to)] == type; };
  for (const int32_t from : here.touched()) {
    const std::span<const int32_t> near = adjacency.row(from).col;
    const auto ways = static_cast<double>(std::count_if(near.begin(), near.end(), fits));
    for (const int32_t to : near)
      if (fits(to)) next.add(to, here.at(from) / ways);
  }
}

// Mass starts at a node; where enough of it lies, a share stays and the rest goes to the neighbours.
void push(const Csr& adjacency, const PageRank& options, int32_t start, SparseRow& rank,
          SparseRow& unspent) {
  const auto limit = [&](int32_t node) {
    return options.tolerance * static_cast<double>(adjacency.row(node).col.size());
  };
  std::vector<int32_t> queue = {start};
  unspent.add(start, 1.0);
  for (size_t head = 0; head < queue.size(); ++head) {
    const int32_t from = queue[head];
    const double mass = unspent.at(from);
    if (mass == 0.0 || mass < limit(from)) continue;
    const std::span<const int32_t> near = adjacency.row(from).col;
    rank.add(from, options.restart * mass);
    unspent.add(from, -mass);
    for (const int32_t to : near) {
      const double before = unspent.at(to);
      unspent.add(to, (1.0 - options.restart) * mass / static_cast<double>(near.size()));
      // Of a node without a way out any mass is enough.
      const bool waits = before > 0.0 && before >= limit(to);
      if (!waits && unspent.at(to) >= limit(to)) queue.push_back(to);
    }
  }
}

}  // namespace

Csr two_hop(const Csr& adjacency) {
  RowSet rows(adjacency.num_rows);
  parallel_for(adjacency.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    SparseRow paths(adjacency.num_rows);
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      const auto node = static_cast<int32_t>(i);
      for (const int32_t j : adjacency.row(node).col)
        for (const int32_t k : adjacency.row(j).col) paths.add(k, 1.0);
      paths.sort();
      const std::span<const int32_t> near = adjacency.row(node).col;
      for (const int32_t k : paths.touched())
        if (k != node && !std::binary_search(near.begin(), near.end(), k)) rows[i].col.push_back(k);
      paths.clear();
    }
  });
  return rows.joined("two-hop");
}

Csr metapath(const Csr& adjacency, std::span<const int32_t> node_type,
             std::span<const int32_t> types) {
  RowSet rows(adjacency.num_rows);
  parallel_for(adjacency.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    SparseRow here(adjacency.num_rows), next(adjacency.num_rows);
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      const auto node = static_cast<int32_t>(i);
      if (node_type[static_cast<size_t>(node)] != types.front()) continue;
      here.add(node, 1.0);
      for (const int32_t type : types.subspan(1)) {
        one_step(adjacency, node_type, type, here, next);
        here.clear();
        std::swap(here, next);
      }
      rows[i] = entries_of(here, node);
      here.clear();
    }
  });
  return rows.joined("metapath");
}

Csr personalised_pagerank(const Csr& adjacency, const PageRank& options) {
  RowSet rows(adjacency.num_rows);
  parallel_for(adjacency.num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    SparseRow rank(adjacency.num_rows), unspent(adjacency.num_rows);
    for (int64_t i = begin; i < end; ++i) {
      check_stop();
      const auto node = static_cast<int32_t>(i);
      push(adjacency, options, node, rank, unspent);
      rank.keep_largest(options.keep, node);
      rows[i] = entries_of(rank, node);
      rank.clear();
      unspent.clear();
    }
  });
  return rows.joined("ppr");
}

}  // namespace emgnn
