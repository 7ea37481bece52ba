// SPDX-License-Identifier: Apache-2.0
// The edge types one by one, for networks that weigh them by themselves. A batch has one graph,
//   S = Σ_k E_k + I, not normalised,
// whose entries say what each type stores there (Edges::type_weight), the node itself as the last
// type. Where nodes have types, an edge type is taken apart into the pairs of node types that it
// joins, each direction by itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/family.h>

namespace emgnn {

class EdgeTypeFamily : public GraphFamily {
 public:
  explicit EdgeTypeFamily(std::shared_ptr<const Dataset> data);

  std::string name() const override { return "edge-types"; }
  int64_t size() const override { return 1; }
  LambdaPoint point(int64_t /*lam_id*/) const override {
    return LambdaPoint(coordinate_names().size(), 1.0);
  }
  // The types in the order of Edges::type_weight.
  std::vector<std::string> coordinate_names() const override;
  Marginal prior_marginal(size_t /*coordinate*/) const override { return {{1.0, 1.0}}; }
  int64_t propose_local(int64_t lam_id, Rng& /*rng*/) const override { return lam_id; }
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

 private:
  std::shared_ptr<const Dataset> data_;
  TypedGraph types_;
  UnionPattern union_;
};

}  // namespace emgnn
