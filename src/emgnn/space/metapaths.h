// SPDX-License-Identifier: Apache-2.0
// Meta-paths: walks from the nodes that are predicted, step by step along an edge type to nodes of a
// type, and what they find at their ends. Types of nodes are told apart where the labels are all of
// one type; else a meta-path is a sequence of edge types.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>

namespace emgnn {

struct Metapath {
  struct Step {
    int32_t relation = 0, type = 0;  // of the node that it leads to
  };
  std::string name;         // "movie-MD-director"; where types are not told apart "self-MD"
  std::vector<Step> steps;  // none: the node itself
};

class MetapathWalks {
 public:
  // Starts at `rows`, ascending: the nodes of one type, or of any.
  MetapathWalks(const Dataset& data, std::vector<int32_t> rows);

  const std::vector<int32_t>& rows() const { return rows_; }
  // All of at most `hops` steps for which there are edges, shorter ones first. UsageError when there
  // are more than anyone could train on.
  std::vector<Metapath> paths(int64_t hops) const;
  // Those of them that lead to the nodes that they start from.
  std::vector<Metapath> cycles(int64_t hops) const;

  // The mean of the features over the ends of the walk, [rows, features]: the product of the row
  // means D⁻¹A of its steps and X. A node without such a walk has zeros.
  Features features(const Metapath& path) const;
  // The same of what is known of the training nodes `train`, its own label left out: [rows, names].
  // Classes count 1 each, labels as they are, values by their distance from the training mean in
  // standard deviations.
  Features labels(const Metapath& path, std::span<const int32_t> train) const;

 private:
  int32_t type_of(int32_t node) const {
    return typed_ ? data_->node_type[static_cast<size_t>(node)] : 0;
  }
  template <class Row>
  Features blocks(const Metapath& path, int32_t width, const Row& row) const;

  const Dataset* data_;
  std::vector<int32_t> rows_;
  bool typed_;
  int32_t num_types_, start_;
  std::vector<char> joins_;  // [relations, types, types] there is an edge
};

}  // namespace emgnn
