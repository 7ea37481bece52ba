// SPDX-License-Identifier: Apache-2.0
// Collects a user's graph, whatever file it comes from, and turns it into a dataset.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/id_table.h>
#include <emgnn/data/label_cells.h>
#include <emgnn/data/name_table.h>
#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

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
    int64_t label_at = 0;              // for LabelCells::Place
    std::optional<size_t> part;        // of the split
  };

  IdTable nodes;        // ids; every node needs add_node, in this order
  NameTable relations;  // edge types

  // Before the first node with a label.
  void set_label_column(std::string name, LabelCells::Place place);

  // The node's number, or nothing when the id is taken.
  std::optional<int32_t> add_node(const NodeRecord& record);
  void add_edge(int32_t relation, int32_t source, int32_t target, float weight);

  // Features, by one of two ways. A node whose every cell is empty has `given` false.
  void set_feature_names(std::vector<std::string> names);
  void add_feature_row(const std::vector<FeatureEntry>& row, bool given);
  void set_features(Features features);
  bool has_feature_columns() const { return !feature_names_.empty(); }

  void note(std::string line) { notes_.push_back(std::move(line)); }

  // Two edge types of which one is the other reversed (writes, written_by) become one, unless they
  // are kept as two directed ones.
  enum class Reversed { kJoin, kKeep };

  // Leaves the builder empty. Types of nodes and of edges are in the order of their names. DataError
  // when there is nothing to build, or where the labels do not fit the task (kind_of_task).
  ParsedDataset finish(const std::string& name, const std::string& task, Reversed reversed);

 private:
  struct EdgeList {
    Coo coo;
    bool weighted = false;
  };

  void finish_labels(ParsedDataset& parsed, const std::string& task);
  void finish_types(ParsedDataset& parsed);
  void finish_split(ParsedDataset& parsed);
  void finish_graph(ParsedDataset& parsed, Reversed reversed);
  void finish_features(ParsedDataset& parsed);

  NameTable types_;
  LabelCells labels_;
  std::vector<int32_t> node_type_;
  std::array<std::vector<int32_t>, 3> parts_;
  std::vector<EdgeList> edges_;
  std::vector<std::string> feature_names_;
  Csr rows_;
  std::vector<bool> given_;
  std::optional<Features> features_;
  std::vector<std::string> notes_;
};

}  // namespace emgnn
