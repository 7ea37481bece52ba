// SPDX-License-Identifier: Apache-2.0
// Views: graphs over the same nodes that any data has beside the one it was given.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/graph/typed_graph.h>
#include <emgnn/space/edge_trust.h>
#include <emgnn/space/options.h>

namespace emgnn {

// A list such as "given, knn:5, two-hop":
//   given            each edge type of the data, or the name of one
//   knn:K            the K nodes of the largest cosine with a node's features, in either direction
//   two-hop          the neighbours of a node's neighbours that are not its own
//   metapath:A-B-A   nodes at the end of a walk over nodes of these types, by its probability
//   ppr              the nodes that a random walk which returns to its start reaches most
//   random:K         K nodes at random, in either direction: a control that deserves no weight
//   reliable         each edge type of the data, its edges trusted more or less; reliable:VIEW the
//                    edges of any of the views above
// UsageError when a view is unknown, or the data has not what it needs.
struct ViewSet {
  std::shared_ptr<const TypedGraph> graph;
  std::vector<std::shared_ptr<const EdgeTrust>> trust;  // [relations]; null: taken as it is

  bool any_distrusted() const;
};
ViewSet make_views(const Dataset& data, const std::string& list,
                   Confidence confidence = Confidence::kNone);
// What "auto" stands for: the edge types, in doubt if there is one; similar nodes where there are
// features; nodes two steps away where these are few; of large graphs the edge types alone.
std::string automatic_views(const Dataset& data);
// The edge types of the data.
ViewSet given_views(const std::shared_ptr<const Dataset>& data);

// What each is made by. None has a self loop.

// Nodes up to which all pairs are compared. With more, most of the nearest are found, not all.
inline constexpr int32_t kMaxCompared = 30'000;
// Ties go to the node with the smaller number; cosines of 0 and rows of zeros join nobody.
Csr nearest_neighbours(const Features& features, int64_t k);
Csr nearest_rows(const Features& features, int64_t k);  // row i: those that are nearest to i
Csr random_neighbours(int32_t num_nodes, int64_t k);    // the same at every call
Csr two_hop(const Csr& adjacency);
// The product of D⁻¹A of each step, for the nodes of the first type; `types` has at least two.
Csr metapath(const Csr& adjacency, std::span<const int32_t> node_type,
             std::span<const int32_t> types);

struct PageRank {
  double restart = 0.15;
  double tolerance = 1e-4;  // a node's unspent mass is below this times its degree
  int64_t keep = 32;        // entries of a row
};
// Personalised PageRank of every node by forward push (Andersen, Chung, Lang 2006), its largest
// entries; each is short of the exact one by at most tolerance * the column's degree where no edge
// has a direction.
Csr personalised_pagerank(const Csr& adjacency, const PageRank& options);

}  // namespace emgnn
