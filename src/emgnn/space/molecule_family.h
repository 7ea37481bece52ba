// SPDX-License-Identifier: Apache-2.0
// Molecules, each under graphs of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/molecule.h>
#include <emgnn/space/family.h>
#include <emgnn/space/molecule_batch.h>
#include <emgnn/space/options.h>

namespace emgnn {

class MoleculeFamily : public GraphFamily {
 public:
  // Λ̂ = the grid of radii; G_λ joins atoms at most λ apart. UsageError without coordinates, here and
  // where entries have distances.
  static std::shared_ptr<MoleculeFamily> by_distance(std::shared_ptr<const Molecules> molecules,
                                                     const DistanceOptions& options);
  // Λ̂ = one point, the bonds: ordinary training.
  static std::shared_ptr<MoleculeFamily> bonds_only(std::shared_ptr<const Molecules> molecules,
                                                    const BondOptions& options);

  bool small_graphs() const override { return true; }
  int64_t num_entry_features() const override { return kinds_->rows().size(1); }
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

  virtual int64_t num_conformers() const = 0;
  int32_t num_atoms(int64_t molecule) const;
  const Molecules& molecules() const { return *molecules_; }

  // The molecule's graph under λ. Two λ with the same graph have the same level; `lambda`, where λ is
  // a number, is λ scaled to [−1, 1] over Λ̂.
  virtual MoleculeItem item(int64_t molecule, int64_t lam_id, int64_t conformer) const = 0;
  virtual GraphBatch batch(std::span<const MoleculeItem> items, const BatchForm& form) const = 0;
  // The bonds of each molecule, with lambda = 0 and the lengths that they have in the first conformer.
  GraphBatch observed(std::span<const int32_t> molecules, int num_hops) const;

 protected:
  MoleculeFamily(std::shared_ptr<const Molecules> molecules, const BondOptions& options);

  const std::shared_ptr<const MoleculeGraphs>& bonds() const { return bonds_; }
  const std::shared_ptr<const EntryTable>& kinds() const { return kinds_; }
  // Of nested graphs.
  GraphBatch batch_of(const std::shared_ptr<const MoleculeGraphs>& graphs,
                      std::span<const MoleculeItem> items, const BatchForm& form) const;

 private:
  std::shared_ptr<const Molecules> molecules_;
  Aggregation aggregation_;
  std::shared_ptr<const MoleculeGraphs> bonds_;
  std::shared_ptr<const EntryTable> kinds_;
};

}  // namespace emgnn
