// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/perturb.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <emgnn/base/draw_distinct.h>
#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {

namespace {

enum Substream : uint32_t { kRemove = 0, kAdd = 1 };

struct Pair {
  int32_t u, v;  // u < v
};

// The non-edges with the given ranks, ascending, among all non-edges u < v row by row: one walk
// over the graph. Within row u the missing partners are counted gap by gap.
std::vector<Pair> non_edges_at(const Csr& a, const std::vector<uint64_t>& ranks) {
  std::vector<Pair> out;
  uint64_t before = 0;  // non-edges in the rows above
  size_t k = 0;
  for (int32_t u = 0; u < a.num_rows && k < ranks.size(); ++u) {
    const std::span<const int32_t> partners = a.row(u).col;
    const auto stop = partners.end();
    auto next = std::upper_bound(partners.begin(), stop, u);
    const uint64_t missing = uint64_t(a.num_rows - 1 - u) - uint64_t(stop - next);
    int32_t edges = 0;  // partners of u passed by
    for (; k < ranks.size() && ranks[k] < before + missing; ++k) {
      // Partner u + 1 + place + (number of edges up to it)
      const auto place = static_cast<int32_t>(ranks[k] - before);
      while (next != stop && *next <= u + 1 + place + edges) {
        ++next;
        ++edges;
      }
      out.push_back({u, u + 1 + place + edges});
    }
    before += missing;
  }
  return out;
}

void check_graph(const Csr& a, double percent) {
  EMGNN_CHECK(percent >= 0.0 && percent <= 100.0,
              "the perturbation rate must be in [0, 100] percent", percent);
  EMGNN_CHECK(is_symmetric(a), "perturbation needs an undirected graph",
              fmt::format("{} x {}, not symmetric", a.num_rows, a.num_cols));
  EMGNN_CHECK(remove_diagonal(a).num_entries() == a.num_entries(),
              "perturbation needs a graph without self loops",
              fmt::format("{} entries", a.num_entries()));
}

void add_both(Coo& coo, Pair pair, float value) {
  coo.row.insert(coo.row.end(), {pair.u, pair.v});
  coo.col.insert(coo.col.end(), {pair.v, pair.u});
  coo.val.insert(coo.val.end(), {value, value});
}

}  // namespace

Csr perturb_edges(const Csr& adjacency, double percent, uint64_t seed) {
  check_graph(adjacency, percent);
  const auto num_nodes = static_cast<uint64_t>(adjacency.num_rows);
  const auto num_edges = static_cast<uint64_t>(adjacency.num_entries() / 2);
  const uint64_t num_non_edges = num_nodes * (std::max<uint64_t>(num_nodes, 1) - 1) / 2 - num_edges;
  // A product that is a whole number must not fall below it by rounding.
  const auto count = static_cast<uint64_t>(percent * double(num_edges) / 100.0 + 1e-9);
  EMGNN_CHECK(count <= num_non_edges,
              fmt::format("cannot add {} edges to a graph of {} nodes: pairs not adjacent", count,
                          num_nodes),
              num_non_edges);
  const auto removed = draw_distinct(num_edges, count, Rng(seed, Stream::kPerturb, 0, kRemove));
  const auto added = draw_distinct(num_non_edges, count, Rng(seed, Stream::kPerturb, 0, kAdd));
  Coo coo;
  uint64_t edge = 0;
  for (int32_t u = 0; u < adjacency.num_rows; ++u) {
    for (const auto [e, v] : adjacency.row(u)) {
      if (v <= u || removed.contains(edge++)) continue;
      add_both(coo, {u, v}, adjacency.value(e));
    }
  }
  std::vector<uint64_t> ranks(added.begin(), added.end());
  std::sort(ranks.begin(), ranks.end());
  for (const Pair pair : non_edges_at(adjacency, ranks)) add_both(coo, pair, 1.0F);
  if (adjacency.val.empty()) coo.val.clear();
  return csr_from_coo(adjacency.num_rows, adjacency.num_cols, coo, Duplicates::kKeepFirst);
}

}  // namespace emgnn
