// SPDX-License-Identifier: Apache-2.0
// A finite set Λ̂ of points λ, each of which stands for graphs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/graph/node_pair.h>

namespace emgnn {

using LambdaPoint = std::vector<double>;
using Marginal = std::map<double, double>;  // value of one coordinate → probability

// A point of Λ̂ with its probability.
struct WeightedPoint {
  LambdaPoint lambda;
  double p = 0.0;
};

// A table about the graphs that a family writes beside the results.
struct FamilyTable {
  std::string file, csv;
};

// How probable it is that an observed edge is real.
struct EdgeProbability {
  NodePair edge;
  double p = 0.0;
};

// What a family says of its graphs.
struct FamilyReport {
  std::vector<FamilyTable> tables;
  std::vector<EdgeProbability> edges;  // undirected ones, of each view; empty: none is in doubt
};

// The name of the coordinate that is the weight of "no graph at all".
inline constexpr const char* kNoGraph = "none";

class ParameterSpace {
 public:
  virtual ~ParameterSpace() = default;
  virtual int64_t size() const = 0;  // |Λ̂|
  virtual LambdaPoint point(int64_t lam_id) const = 0;
  virtual std::vector<std::string> coordinate_names() const = 0;
  // The first coordinates that are shares of a whole: weights on a simplex.
  virtual size_t num_shares() const { return 0; }
  // Of one coordinate when all points are equally likely.
  virtual Marginal prior_marginal(size_t coordinate) const = 0;
  // A random neighbour of a point on the grid, or the point itself; symmetric: q(a→b) = q(b→a).
  virtual int64_t propose_local(int64_t lam_id, Rng& rng) const = 0;

  std::vector<int64_t> all_ids() const;
};

}  // namespace emgnn
