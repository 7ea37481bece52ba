// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/node_pair.h>

namespace emgnn {

std::vector<NodePair> undirected_edges(const Csr& a) {
  std::vector<NodePair> edges;
  edges.reserve(a.col.size() / 2);
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (int32_t e = a.rowptr[size_t(i)]; e < a.rowptr[size_t(i) + 1]; ++e)
      if (a.col[size_t(e)] > i) edges.push_back({i, a.col[size_t(e)]});
  }
  return edges;
}

}  // namespace emgnn
