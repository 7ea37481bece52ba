// SPDX-License-Identifier: Apache-2.0
// Mixtures of edge types or views, λ on a simplex. By degree:
//   A_λ = c Σ_t λ_t A_t with c = space.total, S_λ = D_λ⁻¹ (A_λ + I).
// By shares of attention, whatever the degrees:
//   S_λ = λ_none I + Σ_t λ_t D_t⁻¹ A_t; a node without neighbours in a view looks at itself there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/family.h>
#include <emgnn/space/options.h>
#include <emgnn/space/simplex.h>

namespace emgnn {

class MixtureFamily : public GraphFamily {
 public:
  // Λ̂ = the grid of `options.step` on the simplex over `views`, graphs over the nodes of the data;
  // without them, over its edge types.
  static std::shared_ptr<MixtureFamily> make(std::shared_ptr<const Dataset> data,
                                             const MixtureOptions& options,
                                             std::shared_ptr<const TypedGraph> views = nullptr);
  // Λ̂ = one point, for ordinary training: every view with weight 1, or all with equal shares.
  static std::shared_ptr<MixtureFamily> observed_only(
      std::shared_ptr<const Dataset> data, const GraphOptions& options,
      std::shared_ptr<const TypedGraph> views = nullptr);

  std::string name() const override { return grid_ ? "mixture" : "observed"; }

  int64_t size() const override;
  LambdaPoint point(int64_t lam_id) const override;
  std::vector<std::string> coordinate_names() const override;
  bool shares() const override { return grid_ != nullptr; }
  Marginal prior_marginal(size_t coordinate) const override;
  int64_t propose_local(int64_t lam_id, Rng& rng) const override;
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

  LambdaPoint observed_point() const;  // in Λ̂ or not

 private:
  MixtureFamily(std::shared_ptr<const Dataset> data, std::shared_ptr<const TypedGraph> views,
                const MixtureOptions& options);

  std::shared_ptr<const Dataset> data_;
  std::shared_ptr<const TypedGraph> views_;
  MixtureOptions options_;
  std::unique_ptr<SimplexGrid> grid_;  // null: the observed graph is the only point
  UnionPattern union_;
  std::vector<std::vector<double>> degree_;  // [num_relations][num_nodes]
};

}  // namespace emgnn
