// SPDX-License-Identifier: Apache-2.0
// Collects a user's graph, whatever file it comes from, and turns it into a dataset.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

// Names numbered in the order they are first seen.
class NameTable {
 public:
  int32_t add(std::string_view name);  // its number, new or old
  std::optional<int32_t> find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> take_names();  // and forgets them

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> number_;
  std::vector<std::string> names_;
};

// train | validation (val, valid) | test
std::optional<size_t> split_part(std::string_view word);

class GraphBuilder {
 public:
  struct FeatureEntry {
    int32_t col;
    float value;
  };
  struct NodeRecord {
    std::string_view id, type, label;  // empty: none
    std::optional<size_t> part;        // of the split
  };

  NameTable nodes;      // ids; every node needs add_node, in this order
  NameTable relations;  // edge types

  // The node's number, or nothing when the id is taken.
  std::optional<int32_t> add_node(const NodeRecord& record);
  void add_edge(int32_t relation, int32_t source, int32_t target, float weight);

  // Features, by one of two ways. A node whose every cell is empty has `given` false.
  void set_feature_names(std::vector<std::string> names);
  void add_feature_row(const std::vector<FeatureEntry>& row, bool given);
  void set_features(Features features);
  bool has_feature_columns() const { return has_feature_columns_; }

  void note(std::string line) { notes_.push_back(std::move(line)); }

  // Leaves the builder empty. DataError when there is nothing to build.
  ParsedDataset finish(const std::string& name);

 private:
  struct EdgeList {
    Coo coo;
    bool weighted = false;
  };

  void finish_labels(ParsedDataset& parsed);
  void finish_split(ParsedDataset& parsed);
  void finish_graph(ParsedDataset& parsed);
  void finish_features(ParsedDataset& parsed);

  NameTable types_, labels_;
  std::vector<int32_t> node_type_, node_label_;
  std::array<std::vector<int32_t>, 3> parts_;
  std::vector<EdgeList> edges_;
  bool has_feature_columns_ = false;
  Csr rows_;
  std::vector<bool> given_;
  std::optional<Features> features_;
  std::vector<std::string> notes_;
};

}  // namespace emgnn
