// SPDX-License-Identifier: Apache-2.0
// The loss of one mini-batch of molecules, each under a graph of its own.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include <emgnn/models/molecule_backbone.h>
#include <emgnn/models/regression.h>
#include <emgnn/space/molecule_family.h>

namespace emgnn {

struct MoleculeDraw {
  int32_t molecule = 0;
  int64_t lam_id = 0;
  double weight = 1.0;  // w(λ)
  double target = 0.0;  // standardised
};

struct MoleculeStep {
  at::Tensor objective;    // Σ w(λ) ℓ / n, float64, to descend on
  double mean_loss = 0.0;  // Σ ℓ / n
};

// With several conformers each draw takes one of them at random, by the pass.
MoleculeStep molecule_step(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                           std::span<const MoleculeDraw> draws, RegressionLoss loss,
                           const Pass& pass);

// The same on the bonds; lam_id is not read.
MoleculeStep observed_step(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                           std::span<const MoleculeDraw> draws, RegressionLoss loss,
                           const Pass& pass);

}  // namespace emgnn
