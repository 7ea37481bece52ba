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
#include <emgnn/space/molecule_batch.h>
#include <emgnn/space/options.h>
#include <emgnn/space/parameter_space.h>
#include <emgnn/space/radius_grid.h>

namespace emgnn {

class MoleculeFamily : public ParameterSpace {
 public:
  // Λ̂ = the grid of radii; G_λ joins atoms at most λ apart. The molecules outlive the family.
  MoleculeFamily(const Molecules& molecules, const SpaceOptions& options);
  // Λ̂ = one point, the bonds: ordinary training.
  static std::unique_ptr<MoleculeFamily> bonds_only(const Molecules& molecules,
                                                    const SpaceOptions& options);

  int64_t size() const override;
  LambdaPoint point(int64_t lam_id) const override;
  std::vector<std::string> coordinate_names() const override;
  int64_t propose_local(int64_t lam_id, Rng& rng) const override;

  int64_t num_molecules() const { return graphs_->num_molecules(); }
  int64_t num_conformers() const { return graphs_->num_conformers(); }
  int32_t num_atoms(int64_t molecule) const { return graphs_->num_atoms(molecule); }
  int64_t num_features() const { return kNumAtomFeatures; }

  // The molecule's graph under λ. Two λ with the same graph have the same level; `lambda` is λ
  // scaled to [−1, 1] over Λ̂.
  MoleculeItem item(int64_t molecule, int64_t lam_id, int64_t conformer) const;
  MoleculeBatch batch(std::span<const MoleculeItem> items, int num_hops, bool share_rows) const;
  // The bonds of each molecule, with lambda = 0.
  MoleculeBatch observed(std::span<const int32_t> molecules, int num_hops) const;

 private:
  MoleculeFamily(const Molecules& molecules, const SpaceOptions& options,
                 std::optional<RadiusGrid> grid);

  const Molecules* molecules_;
  std::optional<RadiusGrid> grid_;  // none: the bonds are the only point
  Aggregation aggregation_;
  std::shared_ptr<const MoleculeGraphs> bonds_, graphs_;
};

}  // namespace emgnn
