// SPDX-License-Identifier: Apache-2.0
// In place of graphml.cpp where EMGNN_GRAPHML is OFF.
#include <emgnn/base/error.h>
#include <emgnn/data/graphml.h>

namespace emgnn {

void read_graphml(const std::filesystem::path& path, const OwnGraphColumns&, GraphBuilder&) {
  throw UsageError(
      fmt::format("{}: this build reads no GraphML (pugixml was left out): write the graph as "
                  "nodes.csv and edges.csv, or build with -DEMGNN_GRAPHML=ON",
                  path.string()));
}

}  // namespace emgnn
