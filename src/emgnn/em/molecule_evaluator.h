// SPDX-License-Identifier: Apache-2.0
// Runs a molecule backbone over the whole distribution of graphs: every different graph of a
// molecule once, however many λ share it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <emgnn/em/posterior.h>
#include <emgnn/models/molecule_backbone.h>
#include <emgnn/models/regression.h>
#include <emgnn/space/molecule_family.h>

namespace emgnn {

// Beside the molecules, in the target's own unit.
struct MoleculeExpectation {
  std::vector<double> mean;
  std::vector<double> spread;  // standard deviation over λ ~ p and the conformers
};

class MoleculeEvaluator {
 public:
  // The family and the backbone outlive the evaluator. `molecules` are those that it reads.
  MoleculeEvaluator(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                    std::span<const int32_t> molecules);

  // Called between tiles of graphs; may throw to abandon the work.
  void set_poll(std::function<void()> poll) { poll_ = std::move(poll); }

  const std::vector<int32_t>& molecules() const { return molecules_; }

  // The mean loss over the molecules under each λ, of predictions averaged over the conformers;
  // `target` is beside molecules(), standardised.
  std::vector<double> losses(std::span<const int64_t> lam_ids, std::span<const double> target,
                             RegressionLoss loss) const;

  // E_{λ~p}[Ψ(λ, x)], averaged over the conformers too.
  MoleculeExpectation expect(const Posterior& posterior, const TargetScale& scale) const;

  // Ψ on the bonds.
  MoleculeExpectation observed(const TargetScale& scale) const;

 private:
  struct Predictions;  // of every molecule, conformer and λ
  Predictions predict(std::span<const int64_t> lam_ids) const;
  // In tiles, so that memory does not grow with the number of items.
  std::vector<double> evaluate(std::span<const MoleculeItem> items) const;

  const MoleculeFamily* family_;
  const MoleculeBackbone* backbone_;
  std::vector<int32_t> molecules_;
  std::function<void()> poll_;
};

}  // namespace emgnn
