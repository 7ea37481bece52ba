// SPDX-License-Identifier: Apache-2.0
// What can be said of a graph before anything is trained on it. Of labels only those of training and
// validation nodes are looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>

namespace emgnn {

enum class FeatureKind { kNone, kBinary, kSparse, kDense };
const char* name_of(FeatureKind kind);

struct GraphFacts {
  int64_t num_nodes = 0, num_edges = 0;  // an undirected edge counts once
  int64_t num_edge_types = 0;
  double mean_degree = 0.0;
  FeatureKind features = FeatureKind::kNone;
  int64_t num_features = 0;
  int64_t num_feature_entries = 0;  // that are not zero
  int64_t num_train = 0, num_validation = 0;
  int64_t num_train_edges = 0;  // between training nodes with classes
  // Of those edges the share that joins nodes of one class, less what classes alone would give and
  // scaled to 1 for all edges: 0 says that edges know nothing of classes. None: too few edges.
  std::optional<double> homophily;
  // With classes: the share of validation nodes whose nearest class mean is their own, after features
  // have been averaged over neighbours kHops[k] times. Empty: no classes or no features.
  static constexpr int kHops[] = {0, 1, 2, 8};
  std::vector<double> accuracy_after;
};
GraphFacts graph_facts(const Dataset& data);

// "2708 nodes, mean degree 3.9, 1433 binary features, 81 % of 105 edges between training nodes ..."
std::string in_words(const GraphFacts& facts);

}  // namespace emgnn
