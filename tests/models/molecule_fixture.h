// SPDX-License-Identifier: Apache-2.0
// A few molecules with their graphs, both as a family and as dense matrices.
#pragma once

#include <memory>
#include <vector>

#include "../space/random_molecules.h"
#include "dense_gcn_star.h"

#include <emgnn/space/molecule_family.h>

namespace emgnn {

struct MoleculeFixture {
  explicit MoleculeFixture(int64_t count = 5, int64_t conformers = 1, const BondOptions& bonds = {})
      : molecules(std::make_shared<const Molecules>(random_molecules(count, conformers, 7))),
        space{.bonds = bonds, .last_radius = 5.0, .radius_step = 0.25},
        family(MoleculeFamily::by_distance(molecules, space)) {}

  DenseItem dense(int64_t molecule, int64_t lam_id, int64_t conformer = 0) const {
    const at::Tensor a =
        distance_adjacency(*molecules, molecule, conformer, family->point(lam_id)[0]);
    return {features(molecule), molecule_propagation(a, space.bonds),
            family->item(molecule, lam_id, conformer).lambda};
  }
  DenseItem dense_bonds(int64_t molecule) const {
    return {features(molecule),
            molecule_propagation(bond_adjacency(*molecules, molecule), space.bonds), 0.0};
  }

  at::Tensor features(int64_t molecule) const {
    const auto x = molecules->features_of(molecule);
    return at::from_blob(const_cast<float*>(x.data()),
                         {molecules->num_atoms(molecule), kNumAtomFeatures}, at::kFloat)
        .to(at::kDouble);
  }

  // Of the items (molecule, λ) in the first conformer, with a row for each item and atom.
  GraphBatch batch(const std::vector<std::pair<int64_t, int64_t>>& places, int num_hops,
                   bool share_rows = false) const {
    std::vector<MoleculeItem> items;
    for (const auto& [molecule, lam_id] : places)
      items.push_back(family->item(molecule, lam_id, 0));
    return family->batch(items, {num_hops, share_rows});
  }

  std::shared_ptr<const Molecules> molecules;
  DistanceOptions space;
  std::shared_ptr<const MoleculeFamily> family;
};

}  // namespace emgnn
