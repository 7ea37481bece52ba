// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/attentive_fp.h>

#include <cmath>

#include "bonded_graphs.h"

namespace emgnn {
namespace {

constexpr AttentiveFpOptions kSmall{.layers = 3, .hidden = 4, .readout_steps = 2};

at::Tensor leaky(const at::Tensor& x) { return at::leaky_relu(x, 0.01); }

// softmax-weighted mean of `values` by the scores, one of each.
at::Tensor attended(const std::vector<at::Tensor>& scores, const std::vector<at::Tensor>& values) {
  return at::softmax(at::cat(scores), 0).matmul(at::stack(values));
}

// E of the mean over an atom's entries, each with a score of C [own; other].
at::Tensor dense_context(const Network& network, const std::string& layer,
                         const BondedMolecule& molecule, int64_t atom, const at::Tensor& own,
                         const std::vector<at::Tensor>& other) {
  std::vector<at::Tensor> scores, values;
  for (size_t e = 0; e < molecule.entries.size(); ++e) {
    if (molecule.entries[e].to != atom) continue;
    scores.push_back(leaky(dense_linear(network, layer + "score", at::cat({own, other[e]}))) +
                     std::log(molecule.entries[e].s));
    values.push_back(other[e]);
  }
  const at::Tensor mean = scores.empty() ? at::zeros_like(own) : attended(scores, values);
  return at::elu(dense_linear(network, layer + "context", mean));
}

// One layer; `other` is what each entry brings, `own` what each atom is.
at::Tensor dense_layer(const Network& network, const std::string& layer,
                       const BondedMolecule& molecule, const at::Tensor& own,
                       const std::vector<at::Tensor>& other) {
  std::vector<at::Tensor> next;
  for (int64_t v = 0; v < molecule.num_atoms(); ++v) {
    const at::Tensor context = dense_context(network, layer, molecule, v, own[v], other);
    next.push_back(at::relu(dense_gru(network, layer + "gru", context, own[v])));
  }
  return at::stack(next);
}

at::Tensor dense_readout(const Network& network, const std::string& step, const at::Tensor& h,
                         const at::Tensor& g) {
  std::vector<at::Tensor> scores;
  for (const at::Tensor& row : h.unbind(0))
    scores.push_back(leaky(dense_linear(network, step + "score", at::cat({at::relu(g), row}))));
  const at::Tensor mean = at::softmax(at::cat(scores), 0).matmul(h);
  return dense_gru(network, step + "gru", at::elu(dense_linear(network, step + "context", mean)),
                   g);
}

Definition dense_attentive_fp(const Network& network, const AttentiveFpOptions& options) {
  return [&network, options](const std::vector<BondedMolecule>& molecules) {
    std::vector<at::Tensor> out;
    for (const BondedMolecule& molecule : molecules) {
      std::vector<at::Tensor> other;
      for (const BondedMolecule::Entry& e : molecule.entries) {
        other.push_back(
            leaky(dense_linear(network, "layers.0.neighbour", at::cat({molecule.x[e.from], e.f}))));
      }
      at::Tensor h = dense_layer(network, "layers.0.", molecule,
                                 leaky(dense_linear(network, "layers.0.atom", molecule.x)), other);
      for (int64_t l = 1; l < options.layers; ++l) {
        other.clear();
        for (const BondedMolecule::Entry& e : molecule.entries) other.push_back(h[e.from]);
        h = dense_layer(network, "layers." + std::to_string(l) + ".", molecule, h, other);
      }
      at::Tensor g = h.sum(0);
      for (int64_t t = 0; t < options.readout_steps; ++t)
        g = dense_readout(network, "readout." + std::to_string(t) + ".", h, g);
      out.push_back(dense_linear(network, "output", g));
    }
    return at::stack(out);
  };
}

TEST(AttentiveFp, MatchesTheDefinitionAtomByAtom) {
  AttentiveFp network(kSmall, kMoleculeShape, 3);
  expect_matches_definition(stirred(network), dense_attentive_fp(network, kSmall));
}

TEST(AttentiveFp, MatchesTheDefinitionOnEveryGraph) {
  AttentiveFp network(kSmall, kLengthShape, 3);
  expect_matches_definition_on_graphs(stirred(network), dense_attentive_fp(network, kSmall));
}

TEST(AttentiveFp, PermutingAtomsChangesNothing) {
  expect_permuting_atoms_changes_nothing(AttentiveFp(kSmall, kMoleculeShape, 3));
  expect_permuting_atoms_changes_nothing_on_graphs(AttentiveFp(kSmall, kLengthShape, 3));
}

TEST(AttentiveFp, AtomWithoutEntriesHasAPrediction) {
  expect_atom_without_entries_works(AttentiveFp(kSmall, kMoleculeShape, 3));
}

AttentiveFpOptions dropping() {
  return {.layers = 2, .hidden = 32, .readout_steps = 2, .dropout = 0.3};
}

TEST(AttentiveFp, BitsDoNotDependOnThreads) {
  expect_same_bits_for_any_threads(
      [] { return std::make_shared<const AttentiveFp>(dropping(), kMoleculeShape, 3); });
}

TEST(AttentiveFp, DropsInTrainingOnly) {
  const at::NoGradGuard no_grad;
  const BondedFixture fixture;
  const AttentiveFp network(dropping(), kMoleculeShape, 3);
  const auto run = [&](const Mode& mode) {
    return fixture.run(fixture.molecules, network, kSomeMolecules, mode);
  };
  const at::Tensor first = run({.training = true, .seed = 1, .step = 1});
  EXPECT_TRUE(first.equal(run({.training = true, .seed = 1, .step = 1})));
  EXPECT_FALSE(first.equal(run({.training = true, .seed = 1, .step = 2})));
  EXPECT_TRUE(run({}).equal(run({.seed = 8})));
}

// With one output, as published for FreeSolv, ESOL and Lipophilicity.
TEST(AttentiveFp, HasAsManyWeightsAsTheReference) {
  const NetworkShape shape{
      .num_features = 74, .num_outputs = 1, .reads_out = true, .num_entry_features = 13};
  EXPECT_EQ(num_weights(AttentiveFp({4, 32, 1, 0.0}, shape, 0)), 42534);
  EXPECT_EQ(num_weights(AttentiveFp({3, 16, 5, 0.0}, shape, 0)), 18121);
  EXPECT_EQ(num_weights(AttentiveFp({2, 16, 4, 0.0}, shape, 0)), 14247);
}

}  // namespace
}  // namespace emgnn
