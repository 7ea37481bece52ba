// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>

#include <emgnn/graph/block_model.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// What a block model says of the graph that it was fitted to, with the names of its communities and
// of the nodes.
//   edges.csv        source, target, kind (observed), p: the probability Z of a link between nodes
//                    with such memberships
//   communities.csv  node, community (of its largest membership), p(COMMUNITY): its memberships
//   strengths.csv    community, nodes, strength: the probability β of a link inside
FamilyReport block_model_report(const BlockModel& model, const Csr& graph,
                                std::span<const std::string> communities,
                                const std::function<std::string(int32_t)>& node_name);

}  // namespace emgnn
