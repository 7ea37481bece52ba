// SPDX-License-Identifier: Apache-2.0
// The label column of a user's table, and what it says: classes, several labels at once, or
// values. docs/data.md is the manual of these rules.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/labels.h>
#include <emgnn/data/name_table.h>

namespace emgnn {

// One column, cell by cell. Texts that come again are kept once.
class LabelCells {
 public:
  // Where a cell is, for errors: "nodes.csv: line 12, column 3 (label)".
  using Place = std::function<std::string(int64_t at)>;

  LabelCells() = default;
  LabelCells(std::string name, Place place) : name_(std::move(name)), place_(std::move(place)) {}

  // The next row's cell, which stands at `at`. An empty one is not known.
  void add(std::string_view cell, int64_t at);

  const std::string& name() const { return name_; }
  int64_t num_rows() const { return static_cast<int64_t>(cell_.size()); }
  const std::vector<int32_t>& cells() const { return cell_; }  // [num_rows] of texts(), or kNoLabel
  const std::vector<std::string>& texts() const { return texts_.names(); }
  [[noreturn]] void fail(size_t text, std::string_view what) const;  // at its first cell

 private:
  std::string name_;
  Place place_;
  NameTable texts_;
  std::vector<int64_t> first_at_;  // [num_texts]
  std::vector<int32_t> cell_;
};

struct ReadLabels {
  Labels labels;
  std::string note;  // "task: ...", what was inferred and why; empty without any label
};

// Of the nodes of a graph. `task` as in kind_of_task; a cell of several labels separates their
// names by ; or |. DataError for a cell that does not fit, and where "auto" would be a guess.
ReadLabels read_node_labels(const LabelCells& cells, const std::string& task);

// Of molecules, one column per target: 0/1 labels, values, or, in a single column, classes.
ReadLabels read_molecule_labels(std::span<const LabelCells> columns, const std::string& task);

}  // namespace emgnn
