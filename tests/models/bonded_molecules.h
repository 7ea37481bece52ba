// SPDX-License-Identifier: Apache-2.0
// Networks of whole molecules that know the bonds: each is compared with its definition, written down
// for one molecule after the other in dense float64.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../space/random_molecules.h"
#include "dense_network.h"
#include "gradient_check.h"
#include "networks.h"
#include "permuted.h"

#include <emgnn/base/context.h>
#include <emgnn/space/entry_table.h>
#include <emgnn/space/molecule_family.h>

namespace emgnn {

inline constexpr NetworkShape kMoleculeShape{.num_features = kNumAtomFeatures,
                                             .num_outputs = 2,
                                             .reads_out = true,
                                             .num_entry_features = kNumEntryFeatures};

// One molecule: its atoms, and an entry for each direction of a bond and for each atom itself.
struct BondedMolecule {
  struct Entry {
    int64_t from, to;
    at::Tensor f;    // [13], with distances [37]
    double s = 1.0;  // what S has there
  };
  at::Tensor x;  // [atoms, features]
  std::vector<Entry> entries;

  int64_t num_atoms() const { return x.size(0); }
};

// The 13 columns of a bond (−1: none) or of an atom itself.
inline at::Tensor entry_features(const Molecules& molecules, int32_t bond, bool self) {
  at::Tensor f = at::zeros({kNumEntryFeatures}, at::kDouble);
  if (self) f[kNumBondFeatures] = 1.0;
  for (int64_t k = 0; k < kNumBondFeatures && bond >= 0; ++k)
    f[k] = molecules.bond_features[static_cast<size_t>(bond * kNumBondFeatures + k)];
  return f;
}

inline BondedMolecule bonded_molecule(const Molecules& molecules, int64_t m) {
  const auto x = molecules.features_of(m);
  BondedMolecule out;
  out.x = at::from_blob(const_cast<float*>(x.data()), {molecules.num_atoms(m), kNumAtomFeatures},
                        at::kFloat)
              .to(at::kDouble);
  for (int32_t a = 0; a < out.num_atoms(); ++a) {
    for (int32_t b = 0; b < out.num_atoms(); ++b) {
      const int32_t bond = bond_between(molecules, m, a, b);
      if (a != b && bond < 0) continue;
      out.entries.push_back({a, b, entry_features(molecules, bond, a == b)});
    }
  }
  return out;
}

// x W + b of the weights with this name.
inline at::Tensor dense_linear(const Network& network, const std::string& name,
                               const at::Tensor& x) {
  return x.matmul(value_of(network, name + ".weight")) + value_of(network, name + ".bias");
}

inline at::Tensor dense_gru(const Network& network, const std::string& name, const at::Tensor& x,
                            const at::Tensor& h) {
  const int64_t d = h.size(-1);
  const at::Tensor a = dense_linear(network, name, x);
  const at::Tensor b =
      h.matmul(value_of(network, name + ".state_weight")) + value_of(network, name + ".state_bias");
  const auto part = [&](const at::Tensor& t, int64_t k) { return t.narrow(-1, k * d, d); };
  const at::Tensor reset = at::sigmoid(part(a, 0) + part(b, 0));
  const at::Tensor update = at::sigmoid(part(a, 1) + part(b, 1));
  const at::Tensor next = at::tanh(part(a, 2) + reset * part(b, 2));
  return (1.0 - update) * next + update * h;
}

// Predictions of some molecules [molecules, outputs], from the definition.
using Definition = std::function<at::Tensor(const std::vector<BondedMolecule>&)>;

struct BondedFixture {
  static constexpr BondOptions kBonds{.aggregation = Aggregation::kSum, .self_loops = true};

  explicit BondedFixture(int64_t count = 5)
      : molecules(std::make_shared<const Molecules>(random_molecules(count, 1, 7))) {}

  static at::Tensor run(const std::shared_ptr<const Molecules>& molecules, const Network& network,
                        const std::vector<int32_t>& some, const Mode& mode = {},
                        const BondOptions& bonds = kBonds) {
    const auto family = MoleculeFamily::bonds_only(molecules, bonds);
    return run_network(network, family->view(some, network.needs())->batch({}), mode);
  }
  at::Tensor defined(const Definition& definition, const std::vector<int32_t>& some) const {
    std::vector<BondedMolecule> all;
    for (int32_t m : some) all.push_back(bonded_molecule(*molecules, m));
    return definition(all);
  }

  std::shared_ptr<const Molecules> molecules;
};

// Molecule 1 of the fixture is a single atom.
inline const std::vector<int32_t> kSomeMolecules = {3, 1, 0, 4};

// Away from the values at which attention is flat, a bias is zero or a norm does nothing.
template <class AnyNetwork>
AnyNetwork& stirred(AnyNetwork& network) {
  const at::NoGradGuard no_grad;
  uint64_t k = 50;
  for (const Parameter& p : network.parameters())
    at::Tensor(p.value).add_(random_tensor(p.value.sizes().vec(), ++k, -0.4, 0.4));
  for (const Buffer& b : network.buffers())
    at::Tensor(b.value).add_(random_tensor(b.value.sizes().vec(), ++k, -0.3, 0.3));
  return network;
}

// A sum has at most kTerms products (of 74 + 13 columns, and a few rows), of which float32 makes an error
// of kTerms roundings of the largest. No path through these networks has more than kSums of them: three
// rounds of a message, its matrix and two of a GRU, three steps of a readout with two layers, and a head.
inline constexpr double kTerms = 90, kSums = 24;
inline constexpr double kSumError = kTerms * kUnitRounding, kPathError = kSums * kSumError;

inline void expect_near_definition(const at::Tensor& got, const at::Tensor& want) {
  ASSERT_EQ(got.sizes(), want.sizes());
  const double largest = std::max(1.0, want.abs().max().item<double>());
  EXPECT_LE((got - want).abs().max().item<double>(), kPathError * largest) << got << want;
}

// Sums in another order.
inline void expect_same_up_to_order(const at::Tensor& got, const at::Tensor& want) {
  expect_near_definition(got, want.to(at::kDouble));
}

// A gradient goes the path there and back. Some are zero by nature, such as that of a bias before a norm:
// what is left of them is the error of sums of the largest gradients.
inline void expect_same_gradients(const Network& network, const at::Tensor& output,
                                  const at::Tensor& slow) {
  const std::vector<at::Tensor> got = parameter_gradients(network, output);
  const std::vector<at::Tensor> want = parameter_gradients(network, slow);
  double largest = 0.0;
  for (const at::Tensor& w : want) largest = std::max(largest, w.abs().max().item<double>());
  for (size_t k = 0; k < got.size(); ++k) {
    const std::string& name = network.parameters()[k].name;
    ASSERT_TRUE(got[k].defined() && want[k].defined()) << name;
    const double own = want[k].abs().max().item<double>();
    EXPECT_LE((got[k] - want[k]).abs().max().item<double>(),
              2 * kPathError * own + 2 * kSumError * largest)
        << name;
  }
}

inline void expect_matches_definition(const Network& network, const Definition& definition,
                                      const Mode& mode = {}) {
  const BondedFixture fixture;
  const at::Tensor got = fixture.run(fixture.molecules, network, kSomeMolecules, mode);
  const at::Tensor want = fixture.defined(definition, kSomeMolecules);
  expect_near_definition(got, want);
  expect_same_gradients(network, got, want);
}

inline void expect_permuting_atoms_changes_nothing(const Network& network) {
  const at::NoGradGuard no_grad;
  const BondedFixture fixture;
  const auto turned = permuted_atoms(*fixture.molecules, 1);
  expect_same_up_to_order(fixture.run(turned, network, kSomeMolecules),
                          fixture.run(fixture.molecules, network, kSomeMolecules));
}

// A batch of one atom that has no entry at all.
inline void expect_atom_without_entries_works(const Network& network) {
  const at::NoGradGuard no_grad;
  const BondedFixture fixture;
  const BondOptions alone{.aggregation = Aggregation::kSum, .self_loops = false};
  const at::Tensor got = fixture.run(fixture.molecules, network, {1}, {}, alone);
  EXPECT_TRUE(got.isfinite().all().item<bool>());
  const at::Tensor among = fixture.run(fixture.molecules, network, {0, 1, 3}, {}, alone);
  EXPECT_TRUE(among[1].equal(got[0]));
}

// `make` makes the same network each time.
inline void expect_same_bits_for_any_threads(
    const std::function<std::shared_ptr<const Network>()>& make) {
  const BondedFixture fixture(40);
  std::vector<int32_t> all;
  for (int32_t m = 0; m < 40; ++m) all.push_back(m);
  at::set_num_threads(1);
  std::vector<std::vector<at::Tensor>> results;
  for (int threads : {1, 2, 5}) {
    const Context::Scope scope{Context(threads)};
    const std::shared_ptr<const Network> network = make();
    std::vector<at::Tensor> result = {
        fixture.run(fixture.molecules, *network, all, {.training = true, .seed = 4, .step = 2})};
    result[0].square().sum().backward();
    for (const Parameter& p : network->parameters()) result.push_back(p.value.grad());
    for (const Buffer& b : network->buffers()) result.push_back(b.value);
    results.push_back(std::move(result));
  }
  for (size_t k = 1; k < results.size(); ++k) {
    for (size_t i = 0; i < results[k].size(); ++i)
      EXPECT_TRUE(results[k][i].equal(results[0][i])) << "tensor " << i;
  }
}

inline int64_t num_weights(const Network& network) {
  int64_t out = 0;
  for (const Parameter& p : network.parameters()) out += p.value.numel();
  return out;
}

}  // namespace emgnn
