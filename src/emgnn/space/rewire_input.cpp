// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire_input.h>

#include <emgnn/base/error.h>

namespace emgnn {

FoundCandidates search_candidates(const Dataset& dataset, const RewireOptions& options) {
  if (options.max_add == 0.0) return {};
  const Csr& adjacency = dataset.graph.relations.front().adjacency;
  FoundCandidates found = similar_pairs(dataset.features, adjacency, options);
  // The published program takes nodes with the same features for one and the same.
  if (options.drawing == Drawing::kAuthors)
    std::erase_if(found.pairs, [](const CandidateEdge& e) { return e.cosine == 1.0F; });
  return found;
}

std::vector<CandidateEdge> find_candidates(const Dataset& dataset, const RewireOptions& options) {
  return search_candidates(dataset, options).pairs;
}

RewireGraph rewire_graph(const Dataset& dataset, std::span<const CandidateEdge> candidates,
                         const RewireOptions& options) {
  RewireGraph out{.adjacency = dataset.graph.relations.front().adjacency};
  for (const CandidateEdge& e : candidates) {
    out.candidates.push_back({e.u, e.v});
    out.cosine.push_back(e.cosine);
    if (options.affinity == Affinity::kCosine) out.affinity.push_back(std::min(e.cosine, 1.0F));
  }
  if (options.confidence == Confidence::kNone) return out;
  const Csr& a = out.adjacency;
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e) {
      if (a.col[e] < i) continue;
      if (!(a.value(e) >= 0.0F && a.value(e) <= 1.0F)) {
        throw DataError(fmt::format(
            "dataset {}: the edge {} - {} has weight {}; space.confidence=weight expects 0 to 1",
            dataset.name, dataset.node_name(i), dataset.node_name(a.col[e]), a.value(e)));
      }
      out.confidence.push_back(a.value(e));
    }
  }
  out.adjacency.val = {};
  return out;
}

}  // namespace emgnn
