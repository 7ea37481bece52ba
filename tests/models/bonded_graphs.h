// SPDX-License-Identifier: Apache-2.0
// Networks that know what joins two atoms, on graphs of distances and on mixtures of views: each is
// compared with its definition on every graph of every molecule.
#pragma once

#include <cmath>
#include <utility>

#include "bonded_molecules.h"

#include <emgnn/space/molecule_mixture.h>

namespace emgnn {

inline constexpr NetworkShape kLengthShape{.num_features = kNumAtomFeatures,
                                           .num_outputs = 2,
                                           .reads_out = true,
                                           .num_entry_features = kNumEntryFeatures + kNumRadial};

// Three atoms in a bent chain, 1.4 and 1.34 Å long, 2.33 Å between the ends; and others at random.
inline std::shared_ptr<const Molecules> some_graphs() {
  auto out = std::make_shared<Molecules>(random_molecules(5, 1, 7));
  Rng rng(5, Stream::kTest);
  const auto add = [&](std::vector<float>& to, int64_t count) {
    for (int64_t k = 0; k < count; ++k) to.push_back(static_cast<float>(rng.uniform(-1.0, 1.0)));
  };
  out->atom_begin.push_back(out->num_atoms() + 3);
  out->bond_atoms.insert(out->bond_atoms.end(), {0, 1, 2, 1});
  out->bond_begin.push_back(out->bond_begin.back() + 2);
  add(out->atom_features, int64_t{3} * kNumAtomFeatures);
  add(out->bond_features, int64_t{2} * kNumBondFeatures);
  for (float x : {0.0F, 0.0F, 0.0F, 1.4F, 0.0F, 0.0F, 2.0F, 1.2F, 0.0F})
    out->coordinates.push_back(x);
  return out;
}

// The columns of a distance: Gaussians at the middle of its bin.
inline at::Tensor radial_features(double distance) {
  std::vector<double> edges;
  for (int k = 0; k < 12; ++k) edges.push_back(0.25 * k);
  for (int k = 0; k < 6; ++k) edges.push_back(3.0 + 0.5 * k);
  for (int k = 0; k <= 7; ++k) edges.push_back(6.0 + k);
  size_t bin = 0;
  while (bin + 2 < edges.size() && edges[bin + 1] <= distance) ++bin;
  const double middle = 0.5 * (edges[bin] + edges[bin + 1]);
  at::Tensor out = at::zeros({24}, at::kDouble);
  for (int k = 0; k < 24; ++k) out[k] = std::exp(-2.0 * std::pow(middle - 0.5 * (k + 1), 2));
  return out;
}

// A molecule under S [atoms, atoms]: an entry wherever it is not zero.
inline BondedMolecule joined_molecule(const Molecules& molecules, int64_t m, const at::Tensor& s) {
  BondedMolecule out{.x = bonded_molecule(molecules, m).x};
  const std::span<const float> xyz = molecules.coordinates_of(m, 0);
  for (int32_t a = 0; a < out.num_atoms(); ++a) {
    for (int32_t b = 0; b < out.num_atoms(); ++b) {
      const double value = s[b][a].item<double>();
      if (value == 0.0) continue;
      const at::Tensor radial =
          a == b ? at::zeros({24}, at::kDouble) : radial_features(atom_distance(xyz, a, b));
      const int32_t bond = a == b ? -1 : bond_between(molecules, m, a, b);
      out.entries.push_back(
          {a, b, at::cat({entry_features(molecules, bond, a == b), radial}), value});
    }
  }
  return out;
}

// S of each view by itself and of none: bonds, two-bonds, shell:1.5-3.
inline std::vector<at::Tensor> dense_views(const Molecules& molecules, int64_t m,
                                           const BondOptions& options) {
  const at::Tensor bonds = bond_adjacency(molecules, m);
  const at::Tensor own = at::eye(bonds.size(0), at::kDouble);
  const at::Tensor apart = (1.0 - own) * (1.0 - bonds);
  const at::Tensor two = bonds.matmul(bonds).gt(0.0).to(at::kDouble) * apart;
  const at::Tensor shell =
      (distance_adjacency(molecules, m, 0, 3.0) - distance_adjacency(molecules, m, 0, 1.5)) * apart;
  return {molecule_propagation(bonds, options), molecule_propagation(two, options),
          molecule_propagation(shell, options), own};
}

// A family with the S that it has by definition.
struct DefinedFamily {
  std::shared_ptr<const MoleculeFamily> family;
  std::function<at::Tensor(int64_t molecule, const LambdaPoint& lambda)> s;
};

inline std::vector<DefinedFamily> defined_families(
    const std::shared_ptr<const Molecules>& molecules) {
  const BondOptions root{
      .aggregation = Aggregation::kRoot, .self_loops = true, .edge_distances = true};
  const BondOptions symmetric{.aggregation = Aggregation::kSymmetric, .edge_distances = true};
  const auto distances = [&](const BondOptions& bonds) {
    return DefinedFamily{MoleculeFamily::by_distance(
                             molecules, {.bonds = bonds, .last_radius = 4.0, .radius_step = 0.5}),
                         [=](int64_t m, const LambdaPoint& lambda) {
                           return molecule_propagation(
                               distance_adjacency(*molecules, m, 0, lambda[0]), bonds);
                         }};
  };
  const auto mixture = [&](const BondOptions& bonds) {
    return DefinedFamily{std::make_shared<const MoleculeMixture>(
                             molecules, AtomMixtureOptions{.bonds = bonds,
                                                           .views = "bonds, two-bonds, shell:1.5-3",
                                                           .step = 0.5}),
                         [=](int64_t m, const LambdaPoint& lambda) {
                           const std::vector<at::Tensor> views = dense_views(*molecules, m, bonds);
                           at::Tensor sum = at::zeros_like(views[0]);
                           for (size_t v = 0; v < views.size(); ++v)
                             sum = sum + lambda[v] * views[v];
                           return sum;
                         }};
  };
  return {distances(root), distances(symmetric), mixture(root), mixture(symmetric)};
}

// All graphs at once, as in an E-step; and a gradient step in which molecules have graphs of their own.
inline void expect_matches_definition_on_graphs(const Network& network,
                                                const Definition& definition) {
  const auto molecules = some_graphs();
  const std::vector<int32_t> rows = {0, 1, 2, 3, 4, 5};
  for (const DefinedFamily& one : defined_families(molecules)) {
    const auto view = one.family->view(rows, network.needs());
    const std::vector<int64_t> lams = one.family->all_ids();
    const auto defined = [&](int64_t m, int64_t lam) {
      return joined_molecule(*molecules, m, one.s(m, one.family->point(lam)));
    };
    {
      const at::NoGradGuard no_grad;
      view->evaluate(
          {.lam_ids = lams}, [&](const GraphBatch& batch) { return run_network(network, batch); },
          [&](size_t first, const at::Tensor& outputs) {
            for (int64_t g = 0; g < outputs.size(0); ++g) {
              std::vector<BondedMolecule> all;
              for (int32_t m : rows)
                all.push_back(defined(m, lams[first + static_cast<size_t>(g)]));
              expect_near_definition(outputs[g][0], definition(all));
            }
          },
          {});
    }
    std::vector<BondedMolecule> drawn;
    for (int32_t m : rows) drawn.push_back(defined(m, lams[static_cast<size_t>(m) % lams.size()]));
    const at::Tensor got = run_network(network, view->batch({.lam_ids = lams}));
    const at::Tensor want = definition(drawn);
    expect_near_definition(got, want);
    expect_same_gradients(network, got, want);
  }
}

inline void expect_permuting_atoms_changes_nothing_on_graphs(const Network& network) {
  const at::NoGradGuard no_grad;
  const auto molecules = some_graphs();
  const std::vector<DefinedFamily> before = defined_families(molecules);
  const std::vector<DefinedFamily> after = defined_families(permuted_atoms(*molecules, 1));
  const std::vector<int32_t> rows = {0, 1, 2, 3, 4, 5};
  for (size_t f = 0; f < before.size(); ++f) {
    for (int64_t lam : before[f].family->all_ids()) {
      const auto run = [&](const DefinedFamily& one) {
        return run_network(network,
                           one.family->view(rows, network.needs())->batch({.lam_ids = {&lam, 1}}));
      };
      expect_same_up_to_order(run(after[f]), run(before[f]));
    }
  }
}

}  // namespace emgnn
