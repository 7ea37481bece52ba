// SPDX-License-Identifier: Apache-2.0
// A few molecules with their graphs, both as a batch and as dense matrices.
#pragma once

#include <vector>

#include "../space/random_molecules.h"
#include "dense_gcn_star.h"

#include <emgnn/space/molecule_family.h>

namespace emgnn {

struct MoleculeFixture {
  explicit MoleculeFixture(int64_t count = 5, int64_t conformers = 1)
      : molecules(random_molecules(count, conformers, 7)), family(molecules, space) {}

  DenseItem dense(int64_t molecule, int64_t lam_id, int64_t conformer = 0) const {
    const at::Tensor a =
        distance_adjacency(molecules, molecule, conformer, family.point(lam_id)[0]);
    return {features(molecule), molecule_shift(a, space),
            family.item(molecule, lam_id, conformer).lambda};
  }
  DenseItem dense_bonds(int64_t molecule) const {
    return {features(molecule), molecule_shift(bond_adjacency(molecules, molecule), space), 0.0};
  }

  at::Tensor features(int64_t molecule) const {
    const auto x = molecules.features_of(molecule);
    return at::from_blob(const_cast<float*>(x.data()),
                         {molecules.num_atoms(molecule), kNumAtomFeatures}, at::kFloat)
        .to(at::kDouble);
  }

  const Molecules molecules;
  const SpaceOptions space{.last_radius = 5.0, .radius_step = 0.25};
  const MoleculeFamily family;
};

}  // namespace emgnn
