// SPDX-License-Identifier: Apache-2.0
// What every loader, importer and generator returns, and what a graph family is built from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/data/labels.h>
#include <emgnn/graph/csr.h>
#include <emgnn/graph/node_pair.h>
#include <emgnn/graph/typed_graph.h>

namespace emgnn {

// Node features, [num_rows, num_cols], sparse or dense.
struct Features {
  int32_t num_rows = 0;
  int32_t num_cols = 0;
  bool is_sparse = true;
  Csr sparse;                      // if sparse
  Array<float> dense;              // if dense: row-major
  std::vector<std::string> names;  // [num_cols], or empty: columns have no names
};

struct Split {
  std::vector<int32_t> train, validation, test;  // distinct node ids, each with a label
};

// A graph and what is known about its nodes.
struct Dataset {
  std::string name;
  TypedGraph graph;  // no self loops; symmetric unless directions are kept apart
  Features features;
  Labels labels;  // one row per node
  Split split;
  std::vector<std::string> node_names;  // [num_nodes], or empty: the names are 0, 1, 2, ...
  std::vector<int32_t> given_order;  // [num_nodes] as the user's table has them; or empty: as here
  std::vector<std::string> node_type_names;  // empty: one type
  std::vector<int32_t> node_type;            // [num_nodes], or empty
  // The types that are predicted, where labels cannot say so; empty: those with labels.
  std::vector<std::string> predicted_types;
  std::vector<EdgeChange> perturbation;  // what the graph differs in from the data's own

  std::string node_name(int32_t node) const {
    return node_names.empty() ? std::to_string(node) : node_names[static_cast<size_t>(node)];
  }
};

// Throws DataError when sizes disagree, a label or id is out of range, a split part overlaps
// another or is empty, or a feature is not finite.
void check(const Dataset& dataset);
void check_without_split(const Dataset& dataset);

}  // namespace emgnn
