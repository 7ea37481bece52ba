// SPDX-License-Identifier: Apache-2.0
// A user's own graph. docs/data.md is the manual of these formats.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

// Names of the columns with a meaning; every other column of the node table is a feature. A column
// of a table that is named otherwise than here must exist.
struct OwnGraphColumns {
  std::string id = "id", type = "type", label = "label", split = "split";  // of nodes
  std::string source = "source", target = "target", edge_type = "type",
              weight = "weight";  // of edges
};

// Either `graphml` or tables and matrices. Without `nodes` the nodes are those that edges name.
struct OwnGraphSources {
  std::filesystem::path nodes, edges;  // .csv
  std::filesystem::path
      features;  // .npy, .npz (dense array or scipy csr/csc) or .mtx, rows as in `nodes`
  std::filesystem::path feature_names;  // .csv with a column `name`, a row per feature column
  std::vector<std::filesystem::path> adjacency;  // .mtx, one relation each, named after the file
  std::filesystem::path graphml;
  OwnGraphColumns columns;
  std::string task = "auto";        // what the labels are: auto, classes, labels or values
  bool directed_relations = false;  // an edge type and its reverse stay two directed ones

  std::vector<std::filesystem::path> files() const;  // all that are given
};

// nodes.csv, edges.csv, features.{npy,npz,mtx}, feature_names.csv, other *.mtx, *.graphml. DataError when they are
// none or contradict each other.
OwnGraphSources find_own_graph(const std::filesystem::path& directory);

// The graph, with notes on everything that was inferred. Errors name file, line and column.
ParsedDataset load_own_graph(const OwnGraphSources& sources, const std::string& name);

// Writes such a directory. It appears whole or not at all; `directory` must not exist. A label cell
// says what it said; a task that was set by hand must be set again where the directory is read.
// UsageError when the nodes have several values each: a directory has one label column.
void write_own_graph(const ParsedDataset& parsed, const std::filesystem::path& directory);

}  // namespace emgnn
