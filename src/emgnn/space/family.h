// SPDX-License-Identifier: Apache-2.0
// A family of graphs G_λ indexed by the points λ of a finite set Λ̂.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/space/shift.h>

namespace emgnn {

using LambdaPoint = std::vector<double>;

// The family as seen by a network of some depth that must be right on some rows only: the K-hop
// receptive field.
class FamilyView {
 public:
  virtual ~FamilyView() = default;
  virtual const std::vector<int32_t>& input_rows() const = 0;  // nodes whose features hop 0 reads
  virtual Shift shifts(std::span<const int64_t> lam_ids) const = 0;
  virtual Shift observed() const = 0;  // the graph as given, outside Λ̂ or not
  // Floats that one graph and one unit of feature width need at the widest hop: how large a batch
  // may be.
  virtual int64_t max_rows() const = 0;
};

class GraphFamily {
 public:
  virtual ~GraphFamily() = default;
  virtual int64_t size() const = 0;  // |Λ̂|
  virtual LambdaPoint point(int64_t lam_id) const = 0;
  virtual std::vector<std::string> coordinate_names() const = 0;
  // A random neighbour of a point on the grid, or the point itself; symmetric: q(a→b) = q(b→a).
  virtual int64_t propose_local(int64_t lam_id, Rng& rng) const = 0;
  // The view of `rows` for `num_hops` layers.
  virtual std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                                 int num_hops) const = 0;

  std::vector<int64_t> all_ids() const;
};

}  // namespace emgnn
