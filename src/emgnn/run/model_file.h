// SPDX-License-Identifier: Apache-2.0
// A trained model as one safetensors file: all that predicting needs. It knows the names of what it
// was trained on, so that other data is matched by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/formats/safetensors.h>
#include <emgnn/learn/learner.h>
#include <emgnn/run/config.h>

namespace emgnn {

inline constexpr const char* kModelFile = "model.safetensors";

// Of the data that a model was trained on.
struct DataSchema {
  LabelKind labels = LabelKind::kNone;
  std::vector<std::string> label_names;
  // of graphs
  std::vector<std::string> edge_types;
  std::vector<std::string> node_types;      // those that are predicted; empty: all
  std::vector<std::string> all_node_types;  // empty: types are not told apart, or not known
  std::vector<std::string> feature_names;   // empty: columns have no names
  int64_t num_features = 0;
  std::vector<std::string> node_names;  // where weights belong to nodes
};
DataSchema schema_of(const Data& data, bool with_nodes);

struct ModelFile {
  std::string dataset, method;
  uint64_t seed = 0;
  std::map<std::string, std::string> config;
  std::string data_sha256;  // fingerprint() of the data; empty in older files
  DataSchema schema;
  TensorArchive archive;  // the learner's state
};

std::string encode_model(ModelFile model);
// Also those of earlier formats. DataError with `name` when the bytes are damaged or of no model.
ModelFile decode_model(std::string_view bytes, const std::string& name);

// UsageError when the folder holds no finished run, or several.
ModelFile read_model(const std::filesystem::path& run);

}  // namespace emgnn
