// SPDX-License-Identifier: Apache-2.0
// A family of graphs G_λ indexed by the points λ of a finite set Λ̂.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <emgnn/space/parameter_space.h>
#include <emgnn/space/shift.h>

namespace emgnn {

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

class GraphFamily : public ParameterSpace {
 public:
  // The view of `rows` for `num_hops` layers.
  virtual std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                                 int num_hops) const = 0;
};

}  // namespace emgnn
