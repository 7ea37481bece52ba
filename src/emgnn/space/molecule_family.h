// SPDX-License-Identifier: Apache-2.0
// Molecules whose atoms are joined up to a distance λ, on a grid of distances.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/molecule.h>
#include <emgnn/space/family.h>
#include <emgnn/space/molecule_batch.h>
#include <emgnn/space/options.h>
#include <emgnn/space/radius_grid.h>

namespace emgnn {

class MoleculeFamily : public GraphFamily {
 public:
  // Λ̂ = the grid of radii; G_λ joins atoms at most λ apart. UsageError without coordinates.
  static std::shared_ptr<MoleculeFamily> by_distance(std::shared_ptr<const Molecules> molecules,
                                                     const DistanceOptions& options);
  // Λ̂ = one point, the bonds: ordinary training.
  static std::shared_ptr<MoleculeFamily> bonds_only(std::shared_ptr<const Molecules> molecules,
                                                    const BondOptions& options);

  std::string name() const override { return grid_ ? "distance" : "bonds"; }
  bool small_graphs() const override { return true; }
  int64_t size() const override;
  LambdaPoint point(int64_t lam_id) const override;
  std::vector<std::string> coordinate_names() const override;
  Marginal prior_marginal(size_t coordinate) const override;
  int64_t propose_local(int64_t lam_id, Rng& rng) const override;
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

  int64_t num_conformers() const { return graphs_->num_conformers(); }
  int32_t num_atoms(int64_t molecule) const { return graphs_->num_atoms(molecule); }

  // The molecule's graph under λ. Two λ with the same graph have the same level; `lambda` is λ
  // scaled to [−1, 1] over Λ̂.
  MoleculeItem item(int64_t molecule, int64_t lam_id, int64_t conformer) const;
  GraphBatch batch(std::span<const MoleculeItem> items, int num_hops, bool share_rows) const;
  // The bonds of each molecule, with lambda = 0.
  GraphBatch observed(std::span<const int32_t> molecules, int num_hops) const;

 private:
  MoleculeFamily(std::shared_ptr<const Molecules> molecules, const BondOptions& options,
                 std::optional<RadiusGrid> grid);

  std::shared_ptr<const Molecules> molecules_;
  std::optional<RadiusGrid> grid_;  // none: the bonds are the only point
  Aggregation aggregation_;
  std::shared_ptr<const MoleculeGraphs> bonds_, graphs_;
  at::Tensor bond_features_;  // [num_bonds, 12]
};

}  // namespace emgnn
