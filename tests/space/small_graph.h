// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/data/dataset.h>

namespace emgnn {

// A random typed graph; relations may overlap and carry weights.
inline TypedGraph small_graph(int32_t num_nodes, int num_relations, int num_edges, uint64_t seed) {
  TypedGraph graph{.num_nodes = num_nodes};
  for (int t = 0; t < num_relations; ++t) {
    Rng rng(seed, Stream::kTest, static_cast<uint64_t>(t));
    Coo coo;
    for (int e = 0; e < num_edges; ++e) {
      coo.row.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(num_nodes))));
      coo.col.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(num_nodes))));
      coo.val.push_back(static_cast<float>(1 + rng.below(3)));
    }
    const Csr a = csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepMax);
    graph.relations.push_back(
        {std::string(1, static_cast<char>('a' + t)), remove_diagonal(symmetrise(a))});
  }
  return graph;
}

// Dense, each value ~ U(-1, 1).
inline Features random_features(int32_t num_rows, int32_t num_cols, uint64_t seed) {
  Features x{.num_rows = num_rows, .num_cols = num_cols, .is_sparse = false};
  Rng rng(seed, Stream::kTest, 1000);
  for (int64_t k = 0; k < int64_t{num_rows} * num_cols; ++k)
    x.dense.push_back(static_cast<float>(rng.uniform(-1.0, 1.0)));
  return x;
}

// A graph with random features, without labels.
inline std::shared_ptr<const Dataset> data_of(TypedGraph graph, int32_t num_features = 2) {
  auto data = std::make_shared<Dataset>();
  data->name = "small";
  data->features = random_features(graph.num_nodes, num_features, 11);
  data->labels = no_labels(graph.num_nodes);
  data->graph = std::move(graph);
  return data;
}

inline std::vector<int32_t> all_rows(int32_t count) {
  std::vector<int32_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace emgnn
