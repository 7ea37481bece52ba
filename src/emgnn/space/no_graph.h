// SPDX-License-Identifier: Apache-2.0
// Nodes without edges: S = I. What a network without a graph is trained on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/family.h>

namespace emgnn {

class NoGraphFamily : public GraphFamily {
 public:
  explicit NoGraphFamily(std::shared_ptr<const Dataset> data) : data_(std::move(data)) {}

  std::string name() const override { return kNoGraph; }
  int64_t size() const override { return 1; }
  LambdaPoint point(int64_t /*lam_id*/) const override { return {1.0}; }
  std::vector<std::string> coordinate_names() const override { return {kNoGraph}; }
  Marginal prior_marginal(size_t /*coordinate*/) const override { return {{1.0, 1.0}}; }
  int64_t propose_local(int64_t lam_id, Rng& /*rng*/) const override { return lam_id; }
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

 private:
  std::shared_ptr<const Dataset> data_;
};

}  // namespace emgnn
