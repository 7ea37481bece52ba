// SPDX-License-Identifier: Apache-2.0
// The graph as given, A = Σ_t A_t over its edge types. Every gradient step sees a part of it (Rong
// et al. 2020): A' lacks each edge with probability `rate`, and S' = D'⁻¹ (A' + I) is normalised by
// the degrees that are left. Evaluation sees all of it. Both directions of an edge, and all types of
// it, are dropped together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/family.h>
#include <emgnn/space/options.h>

namespace emgnn {

class DropEdgeFamily : public GraphFamily {
 public:
  DropEdgeFamily(std::shared_ptr<const Dataset> data, const DropEdgeOptions& options);

  std::string name() const override { return "drop-edge"; }
  int64_t size() const override { return 1; }
  LambdaPoint point(int64_t /*lam_id*/) const override;  // every edge type weighs 1
  std::vector<std::string> coordinate_names() const override;
  Marginal prior_marginal(size_t /*coordinate*/) const override { return {{1.0, 1.0}}; }
  int64_t propose_local(int64_t lam_id, Rng& /*rng*/) const override { return lam_id; }
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

 private:
  std::shared_ptr<const Dataset> data_;
  std::shared_ptr<const UnionPattern> union_;
  DropEdgeOptions options_;
};

}  // namespace emgnn
