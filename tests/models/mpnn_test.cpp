// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/mpnn.h>

#include "bonded_graphs.h"

namespace emgnn {
namespace {

constexpr MpnnOptions kSmall{
    .hidden = 4, .edge_hidden = 5, .steps = 3, .readout_steps = 3, .readout_layers = 2};

struct DenseState {
  at::Tensor h, s;
};

DenseState dense_lstm(const Network& network, const std::string& name, const at::Tensor& x,
                      const DenseState& before) {
  const int64_t d = before.h.size(-1);
  const at::Tensor all = dense_linear(network, name, x) +
                         before.h.matmul(value_of(network, name + ".state_weight")) +
                         value_of(network, name + ".state_bias");
  const auto gate = [&](int64_t k) { return all.narrow(-1, k * d, d); };
  const at::Tensor s = at::sigmoid(gate(1)) * before.s + at::sigmoid(gate(0)) * at::tanh(gate(2));
  return {at::sigmoid(gate(3)) * at::tanh(s), s};
}

at::Tensor dense_set2set(const Network& network, const MpnnOptions& options, const at::Tensor& h) {
  const at::Tensor zero = at::zeros({options.hidden}, at::kDouble);
  std::vector<DenseState> state(static_cast<size_t>(options.readout_layers), {zero, zero});
  at::Tensor query = at::cat({zero, zero});
  for (int64_t step = 0; step < options.readout_steps; ++step) {
    at::Tensor q = query;
    for (size_t l = 0; l < state.size(); ++l) {
      state[l] = dense_lstm(network, "readout.lstm." + std::to_string(l), q, state[l]);
      q = state[l].h;
    }
    query = at::cat({q, at::softmax(h.matmul(q), 0).matmul(h)});
  }
  return query;
}

Definition dense_mpnn(const Network& network, const MpnnOptions& options) {
  return [&network, options](const std::vector<BondedMolecule>& molecules) {
    const int64_t d = options.hidden;
    std::vector<at::Tensor> out;
    for (const BondedMolecule& molecule : molecules) {
      at::Tensor h = at::relu(dense_linear(network, "messages.atom", molecule.x));
      for (int64_t step = 0; step < options.steps; ++step) {
        std::vector<at::Tensor> message(static_cast<size_t>(molecule.num_atoms()),
                                        value_of(network, "messages.bias"));
        for (const BondedMolecule::Entry& e : molecule.entries) {
          const at::Tensor inner = at::relu(dense_linear(network, "messages.edge_inner", e.f));
          const at::Tensor m = dense_linear(network, "messages.edge_outer", inner).view({d, d});
          at::Tensor& to = message[static_cast<size_t>(e.to)];
          to = to + e.s * h[e.from].matmul(m);
        }
        h = dense_gru(network, "messages.gru", at::relu(at::stack(message)), h);
      }
      const at::Tensor head =
          at::relu(dense_linear(network, "readout.head", dense_set2set(network, options, h)));
      out.push_back(dense_linear(network, "readout.output", head));
    }
    return at::stack(out);
  };
}

TEST(Mpnn, MatchesTheDefinitionAtomByAtom) {
  Mpnn network(kSmall, kMoleculeShape, 3);
  expect_matches_definition(stirred(network), dense_mpnn(network, kSmall));
}

TEST(Mpnn, MatchesTheDefinitionOnEveryGraph) {
  Mpnn network(kSmall, kLengthShape, 3);
  expect_matches_definition_on_graphs(stirred(network), dense_mpnn(network, kSmall));
}

TEST(Mpnn, PermutingAtomsChangesNothing) {
  expect_permuting_atoms_changes_nothing(Mpnn(kSmall, kMoleculeShape, 3));
  expect_permuting_atoms_changes_nothing_on_graphs(Mpnn(kSmall, kLengthShape, 3));
}

TEST(Mpnn, AtomWithoutEntriesHasAPrediction) {
  expect_atom_without_entries_works(Mpnn(kSmall, kMoleculeShape, 3));
}

TEST(Mpnn, BitsDoNotDependOnThreads) {
  expect_same_bits_for_any_threads([] {
    return std::make_shared<const Mpnn>(
        MpnnOptions{
            .hidden = 32, .edge_hidden = 16, .steps = 2, .readout_steps = 2, .readout_layers = 1},
        kMoleculeShape, 3);
  });
}

// With one output, as published for FreeSolv, ESOL and Lipophilicity.
TEST(Mpnn, HasAsManyWeightsAsTheReference) {
  const NetworkShape shape{
      .num_features = 74, .num_outputs = 1, .reads_out = true, .num_entry_features = 13};
  EXPECT_EQ(num_weights(Mpnn({32, 32, 4, 2, 3}, shape, 0)), 74561);
  EXPECT_EQ(num_weights(Mpnn({32, 64, 3, 2, 3}, shape, 0)), 107777);
  EXPECT_EQ(num_weights(Mpnn({64, 32, 2, 3, 2}, shape, 0)), 256705);
}

}  // namespace
}  // namespace emgnn
