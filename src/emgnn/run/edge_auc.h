// SPDX-License-Identifier: Apache-2.0
// Whether a distribution over graphs tells real edges from random ones.
#pragma once

#include <optional>
#include <span>

#include <emgnn/space/parameter_space.h>

namespace emgnn {

// The probability that an edge of the data's own is held to be more probable than one that a
// perturbation added, ties counted half. None: there are not both kinds, or no edge is in doubt.
std::optional<double> edge_auc(std::span<const EdgeProbability> edges,
                               std::span<const EdgeChange> perturbation);

}  // namespace emgnn
