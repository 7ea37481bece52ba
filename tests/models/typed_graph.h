// SPDX-License-Identifier: Apache-2.0
// A small random graph with several types of nodes and edges.
#pragma once

#include <memory>

#include "../space/small_graph.h"

namespace emgnn {

// Edges of `num_relations` types, some of them between the same nodes; with one type of nodes the
// data says nothing about types.
inline std::shared_ptr<const Dataset> typed_data(int32_t num_nodes, int num_relations,
                                                 int32_t num_types, int32_t num_words) {
  auto data = std::make_shared<Dataset>(
      *data_of(small_graph(num_nodes, num_relations, 2 * num_nodes, 3), num_words));
  for (int32_t t = 0; num_types > 1 && t < num_types; ++t)
    data->node_type_names.push_back("type " + std::to_string(t));
  for (int32_t v = 0; num_types > 1 && v < num_nodes; ++v)
    data->node_type.push_back((v * v + v / 3) % num_types);
  return data;
}

}  // namespace emgnn
