// SPDX-License-Identifier: Apache-2.0
// How much the ends of an edge look like neighbours, from what is known without labels.
#pragma once

#include <vector>

#include <emgnn/data/dataset.h>

namespace emgnn {

// What can be seen of a pair (i, j), with the edge between them, if there is one, left out:
struct PairFeatures {
  std::vector<float> cosine;         // of their features
  std::vector<float> neighbourhood;  // of each with the mean of the other's neighbours, averaged
  std::vector<float> common;         // log(1 + common neighbours)
};

// Of every entry of `pairs`, [num_nodes, num_nodes], with neighbours in `graph`.
PairFeatures pair_features(const Features& features, const Csr& graph, const Csr& pairs);

// log p(edge) - log p(no edge) of every entry of `edges` by logistic regression of these features,
// fitted to tell the edges of `graph` from as many random pairs of nodes that have edges, each as
// often as it has one. 0 where the features tell nothing.
std::vector<float> edge_scores(const Features& features, const Csr& graph, const Csr& edges);

}  // namespace emgnn
