// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <emgnn/data/graph_builder.h>
#include <emgnn/data/own_graph.h>

namespace emgnn {

// Nodes and edges of the one <graph>. Attributes are found by attr.name: type, label and split of
// nodes, type and weight of edges; other numeric or boolean node attributes are features, other
// texts are noted and not used.
void read_graphml(const std::filesystem::path& path, const OwnGraphColumns& columns,
                  GraphBuilder& builder);

}  // namespace emgnn
