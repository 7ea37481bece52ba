// SPDX-License-Identifier: Apache-2.0
// Brings other data into the form that a model was trained on, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/run/model_file.h>

namespace emgnn {

struct MatchedData {
  std::shared_ptr<const Data> data;
  std::vector<int32_t> rows;       // to predict
  std::vector<int64_t> node_row;   // of each node in the model's graph; empty: as numbered
  std::vector<std::string> notes;  // what the model does not know and left out
  // Why weights that belong to types of nodes cannot be read for this data; empty: they can.
  std::string other_node_types;
};

// Edge types, node types and features are put in the model's order, labels are read by its names;
// what it does not know is left out and noted. UsageError when something that it needs is missing,
// or when its weights belong to nodes and the data has others.
MatchedData match(const Data& data, const DataSchema& schema);

}  // namespace emgnn
