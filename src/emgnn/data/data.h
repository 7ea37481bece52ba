// SPDX-License-Identifier: Apache-2.0
// What a method is trained on: the nodes of a graph, or the molecules of a table, with a split.
// Either is a number of rows with features, labels and names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/data/molecule.h>

namespace emgnn {

enum class DataKind { kGraph, kMolecules };
const char* name_of(DataKind kind);  // "graph", "molecules"

class Data {
 public:
  explicit Data(Dataset graph);  // with its split
  Data(std::shared_ptr<const MoleculeTable> table, Split split);

  DataKind kind() const { return graph_ ? DataKind::kGraph : DataKind::kMolecules; }
  const std::string& name() const;
  int64_t num_rows() const;
  int64_t num_features() const;
  const Labels& labels() const { return graph_ ? graph_->labels : table_->labels; }
  const Split& split() const { return graph_ ? graph_->split : split_; }

  // Ascending: the nodes of the types that carry labels, or all molecules.
  const std::vector<int32_t>& predicted_rows() const { return predicted_rows_; }
  std::string row_name(int32_t row) const;  // a node's id, a molecule's record number

  // One of them; the other is null.
  const std::shared_ptr<const Dataset>& graph() const { return graph_; }
  const std::shared_ptr<const MoleculeTable>& table() const { return table_; }

 private:
  std::shared_ptr<const Dataset> graph_;
  std::shared_ptr<const MoleculeTable> table_;
  Split split_;
  std::vector<int32_t> predicted_rows_;
};

// The types of nodes that are predicted or carry labels; none where types are not told apart.
std::vector<std::string> labelled_types(const Dataset& dataset);
// The nodes of these types; all nodes where none is named or types are not told apart.
std::vector<int32_t> rows_of_types(const Dataset& dataset, const std::vector<std::string>& types);

}  // namespace emgnn
