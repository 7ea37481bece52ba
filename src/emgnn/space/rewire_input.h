// SPDX-License-Identifier: Apache-2.0
// What the rewire family is made of, taken from a dataset.
#pragma once

#include <span>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/candidate_search.h>
#include <emgnn/space/rewire_draws.h>

namespace emgnn {

// E'. It depends on the graph, the features and the options alone: runs that differ in their seed
// share it. Where nothing can be added none is searched for.
FoundCandidates search_candidates(const Dataset& dataset, const RewireOptions& options);
// Its pairs.
std::vector<CandidateEdge> find_candidates(const Dataset& dataset, const RewireOptions& options);

// DataError when a weight is no confidence.
RewireGraph rewire_graph(const Dataset& dataset, std::span<const CandidateEdge> candidates,
                         const RewireOptions& options);

}  // namespace emgnn
