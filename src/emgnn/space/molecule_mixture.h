// SPDX-License-Identifier: Apache-2.0
// Mixtures of views on molecules, λ on a simplex over the views and "none":
//   S_λ = λ_none I + Σ_v λ_v S_v, with S_v of each view by itself, as space.aggregation has it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <emgnn/space/molecule_family.h>
#include <emgnn/space/molecule_views.h>
#include <emgnn/space/simplex.h>

namespace emgnn {

class MoleculeMixture : public MoleculeFamily {
 public:
  MoleculeMixture(std::shared_ptr<const Molecules> molecules, const AtomMixtureOptions& options);

  std::string name() const override { return "mixture"; }
  int64_t size() const override { return grid_.size(); }
  LambdaPoint point(int64_t lam_id) const override { return grid_.point(lam_id); }
  std::vector<std::string> coordinate_names() const override { return views_->names(); }
  size_t num_shares() const override { return views_->names().size(); }
  Marginal prior_marginal(size_t /*coordinate*/) const override { return grid_.prior_marginal(); }
  int64_t propose_local(int64_t lam_id, Rng& rng) const override {
    return grid_.propose_local(lam_id, rng);
  }
  // UsageError for weights that depend on λ.
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

  int64_t num_conformers() const override { return views_->num_conformers(); }
  // Views that are the same on the molecule share their weight; its level is a λ of that graph.
  MoleculeItem item(int64_t molecule, int64_t lam_id, int64_t conformer) const override;
  // Mixtures share the atoms' features, and no rows.
  GraphBatch batch(std::span<const MoleculeItem> items, const BatchForm& form) const override;

 private:
  std::shared_ptr<const MoleculeViews> views_;
  SimplexGrid grid_;
};

}  // namespace emgnn
