// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/candidate_search.h>

#include <fmt/format.h>

#include <algorithm>

#include <emgnn/base/threads.h>
#include <emgnn/space/cosine_pairs.h>
#include <emgnn/space/neighbour_search.h>
#include <emgnn/space/views.h>

namespace emgnn {

namespace {

// More would cost the search for neighbours of neighbours their square.
constexpr int64_t kMostApproximate = 10;
constexpr int64_t kRowGrain = 256;

using Lists = std::vector<std::vector<int32_t>>;

bool compares_all(const RewireOptions& options, int64_t num_nodes) {
  if (options.candidate_search != CandidateSearch::kAuto)
    return options.candidate_search == CandidateSearch::kExact;
  return num_nodes <= kMaxCompared || options.max_candidates > 0 || options.candidate_recall < 1.0;
}

// Exact cosines of the listed pairs, each pair once, decided as candidate_edges does.
template <class Rows>
std::vector<CandidateEdge> pairs_of(const Lists& near, const Rows& rows, double threshold) {
  std::vector<std::vector<CandidateEdge>> found(near.size());
  parallel_for(static_cast<int64_t>(near.size()), kRowGrain, [&](int64_t begin, int64_t end) {
    for (auto u = static_cast<int32_t>(begin); u < end; ++u) {
      for (const int32_t v : near[static_cast<size_t>(u)]) {
        const double cosine = rows.cosine(std::min(u, v), std::max(u, v));
        if (cosine > threshold + kCosineTie)
          found[static_cast<size_t>(u)].push_back(
              {std::min(u, v), std::max(u, v), static_cast<float>(cosine)});
      }
    }
  });
  std::vector<CandidateEdge> out;
  for (const auto& row : found) out.insert(out.end(), row.begin(), row.end());
  std::sort(out.begin(), out.end(), detail::before);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<CandidateEdge> pairs_of(const Lists& near, const Features& x, double threshold) {
  if (x.is_sparse) return pairs_of(near, detail::SparseNormed(x.sparse), threshold);
  const DenseRows rows{x.num_rows, x.num_cols, x.dense};
  return pairs_of(near, detail::DenseNormed(rows), threshold);
}

std::vector<CandidateEdge> all_pairs(const Features& x, const Csr& adjacency,
                                     const CandidateOptions& search) {
  return x.is_sparse
             ? candidate_edges(x.sparse, adjacency, search)
             : candidate_edges(DenseRows{x.num_rows, x.num_cols, x.dense}, adjacency, search);
}

class Nearest {
 public:
  Nearest(const Features& x, const Csr& adjacency) : adjacency_(adjacency), rows_(x) {}

  // The k most similar of each node that it has no edge to.
  Lists exact(int64_t k) const {
    return exact_nearest(rows_, k, [&](int32_t u, int32_t v) { return adjacent(u, v); });
  }
  // Those of the nearest that were found and have no edge to it.
  Lists approximate(int64_t k) const {
    Lists near = approximate_nearest(rows_, k);
    for (size_t u = 0; u < near.size(); ++u)
      std::erase_if(near[u], [&](int32_t v) { return adjacent(static_cast<int32_t>(u), v); });
    return near;
  }

 private:
  bool adjacent(int32_t u, int32_t v) const { return stores(u, v) || stores(v, u); }
  bool stores(int32_t u, int32_t v) const {
    const auto begin = adjacency_.col.begin();
    return std::binary_search(begin + adjacency_.rowptr[static_cast<size_t>(u)],
                              begin + adjacency_.rowptr[static_cast<size_t>(u) + 1], v);
  }

  const Csr& adjacency_;
  UnitRows rows_;
};

}  // namespace

CandidateBudget candidate_budget(const RewireOptions& options, const GraphSize& size,
                                 int64_t bytes) {
  const int64_t automatic = std::max({5 * size.edges, 20 * size.nodes, int64_t{100'000}});
  const int64_t pairs = options.max_candidates > 0 ? options.max_candidates : automatic;
  const bool chosen = options.max_candidates > 0;
  return {chosen ? pairs : std::min(pairs, bytes / CandidateBudget::kBytesPerPair)};
}

FoundCandidates similar_pairs(const Features& features, const Csr& adjacency,
                              const RewireOptions& options) {
  const GraphSize size{features.num_rows, adjacency.num_entries() / 2};
  const CandidateBudget budget = candidate_budget(options, size);
  const int64_t k = std::max<int64_t>(1, budget.pairs / std::max<int64_t>(1, size.nodes));
  const double threshold = options.cosine_threshold;
  if (compares_all(options, size.nodes)) {
    try {
      return {all_pairs(features, adjacency,
                        {.threshold = threshold,
                         .max_pairs = budget.pairs,
                         .recall = options.candidate_recall}),
              {}};
    } catch (const TooManyCandidates& many) {
      FoundCandidates out{pairs_of(Nearest(features, adjacency).exact(k), features, threshold), {}};
      out.note = fmt::format(
          "{}: each node keeps its {} most similar, {} in all; space.max_candidates or "
          "space.cosine_threshold changes that, space.max_add=0 adds none",
          many.what(), k, out.pairs.size());
      return out;
    }
  }
  const int64_t nearest = std::min(k, kMostApproximate);
  FoundCandidates out{
      pairs_of(Nearest(features, adjacency).approximate(nearest), features, threshold), {}};
  out.note = fmt::format(
      "{} nodes are too many to compare all pairs: candidate edges are {} of the most similar, up "
      "to "
      "{} per node; space.candidate_search=exact compares all",
      size.nodes, out.pairs.size(), nearest);
  return out;
}

}  // namespace emgnn
