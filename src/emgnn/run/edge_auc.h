// SPDX-License-Identifier: Apache-2.0
// Whether a distribution over graphs tells real edges from random ones.
#pragma once

#include <optional>
#include <span>

#include <emgnn/graph/typed_graph.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// The probability that an edge of the data's own is held to be more probable than one that a
// perturbation added, ties counted half. None: there are not both kinds, or no edge is in doubt.
// An edge that several views have counts once; pairs that are no edges of the graph do not count.
std::optional<double> edge_auc(std::span<const EdgeProbability> edges, const TypedGraph& graph,
                               std::span<const EdgeChange> perturbation);

}  // namespace emgnn
