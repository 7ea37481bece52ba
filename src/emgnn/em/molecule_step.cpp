// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/molecule_step.h>

#include <ATen/ATen.h>

#include <vector>

namespace emgnn {

namespace {

MoleculeStep step_on(const MoleculeBatch& batch, const MoleculeBackbone& backbone,
                     std::span<const MoleculeDraw> draws, RegressionLoss loss, const Pass& pass) {
  std::vector<double> target, weight;
  for (const MoleculeDraw& draw : draws) {
    target.push_back(draw.target);
    weight.push_back(draw.weight);
  }
  const at::Tensor each = regression_loss(loss, backbone.forward(batch, pass), at::tensor(target));
  return {.objective = (each * at::tensor(weight)).mean(), .mean_loss = each.mean().item<double>()};
}

}  // namespace

MoleculeStep molecule_step(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                           std::span<const MoleculeDraw> draws, RegressionLoss loss,
                           const Pass& pass) {
  Rng rng(pass.seed, Stream::kConformer, pass.step);
  std::vector<MoleculeItem> items;
  for (const MoleculeDraw& draw : draws) {
    const auto conformer = rng.below(static_cast<uint64_t>(family.num_conformers()));
    items.push_back(family.item(draw.molecule, draw.lam_id, static_cast<int64_t>(conformer)));
  }
  return step_on(family.batch(items, backbone.num_hops(), false), backbone, draws, loss, pass);
}

MoleculeStep observed_step(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                           std::span<const MoleculeDraw> draws, RegressionLoss loss,
                           const Pass& pass) {
  std::vector<int32_t> molecules;
  for (const MoleculeDraw& draw : draws) molecules.push_back(draw.molecule);
  return step_on(family.observed(molecules, backbone.num_hops()), backbone, draws, loss, pass);
}

}  // namespace emgnn
