// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/weave.h>

#include <cmath>

#include "bonded_graphs.h"

namespace emgnn {
namespace {

constexpr WeaveOptions kSmall{.layers = 3, .hidden = 4, .readout_width = 3, .gaussian = false};

WeaveOptions with_gaussians() {
  WeaveOptions options = kSmall;
  options.gaussian = true;
  return options;
}

// The rows of atoms behind the last layer.
at::Tensor dense_rows(const Network& network, const WeaveOptions& options,
                      const BondedMolecule& molecule) {
  at::Tensor h = molecule.x;
  std::vector<at::Tensor> f;
  for (const BondedMolecule::Entry& e : molecule.entries) f.push_back(e.f);
  for (int64_t l = 0; l < options.layers; ++l) {
    const auto linear = [&](const char* name, const at::Tensor& x) {
      return dense_linear(network, "layers." + std::to_string(l) + "." + name, x);
    };
    std::vector<at::Tensor> next, next_f;
    for (int64_t v = 0; v < molecule.num_atoms(); ++v) {
      at::Tensor sum = at::zeros({options.hidden}, at::kDouble);
      for (size_t e = 0; e < f.size(); ++e)
        if (molecule.entries[e].to == v)
          sum = sum + molecule.entries[e].s * at::relu(linear("from_entry", f[e]));
      next.push_back(at::relu(linear("to_atom", at::cat({at::relu(linear("atom", h[v])), sum}))));
    }
    for (size_t e = 0; e < f.size() && l + 1 < options.layers; ++e) {
      const at::Tensor u = h[molecule.entries[e].from], v = h[molecule.entries[e].to];
      next_f.push_back(
          at::relu(linear("to_entry", at::cat({at::relu(linear("left", u) + linear("right", v)),
                                               at::relu(linear("right", u) + linear("left", v)),
                                               at::relu(linear("entry", f[e]))}))));
    }
    h = at::stack(next);
    f = next_f;
  }
  return h;
}

constexpr double kGaussians[11][2] = {{-1.645, .283}, {-1.080, .170}, {-.739, .134}, {-.468, .118},
                                      {-.228, .114},  {0, .114},      {.228, .114},  {.468, .118},
                                      {.739, .134},   {1.080, .170},  {1.645, .283}};

// Σ over the atoms of the memberships of each number.
at::Tensor dense_memberships(const at::Tensor& y) {
  std::vector<at::Tensor> out;
  for (int64_t i = 0; i < y.size(1); ++i) {
    std::vector<at::Tensor> each;
    for (const auto& [mean, deviation] : kGaussians) {
      const at::Tensor off = y.select(1, i) - mean;
      each.push_back((-off * off / (2.0 * deviation * deviation)).exp() + 1e-7);
    }
    const at::Tensor m = at::stack(each);  // [11, atoms]
    out.push_back((m / m.sum(0)).sum(1));
  }
  return at::cat(out);
}

Definition dense_weave(const Network& network, const WeaveOptions& options, bool batch_moments) {
  return [&network, options, batch_moments](const std::vector<BondedMolecule>& molecules) {
    std::vector<at::Tensor> rows;
    for (const BondedMolecule& molecule : molecules) {
      rows.push_back(
          at::tanh(dense_linear(network, "readout.graph", dense_rows(network, options, molecule))));
    }
    const at::Tensor all = at::cat(rows);
    at::Tensor mean = value_of(network, "readout.norm_mean");
    at::Tensor var = value_of(network, "readout.norm_var");
    if (batch_moments) {
      mean = all.mean(0);
      var = (all - mean).square().mean(0);
    }
    std::vector<at::Tensor> out;
    for (const at::Tensor& h : rows) {
      const at::Tensor y =
          (h - mean) / (var + 1e-5).sqrt() * value_of(network, "readout.norm_weight") +
          value_of(network, "readout.norm_bias");
      const at::Tensor g =
          options.gaussian
              ? at::tanh(dense_linear(network, "readout.memberships", dense_memberships(y)))
              : y.sum(0);
      out.push_back(dense_linear(network, "readout.output", g));
    }
    return at::stack(out);
  };
}

class WeaveTest : public testing::TestWithParam<bool /* Gaussians */> {
 protected:
  WeaveTest() { stirred(network_); }

  const WeaveOptions options_ = GetParam() ? with_gaussians() : kSmall;
  Weave network_{options_, kMoleculeShape, 5};
};

TEST_P(WeaveTest, MatchesTheDefinitionAtomByAtom) {
  expect_matches_definition(network_, dense_weave(network_, options_, false));
}

TEST_P(WeaveTest, TrainingUsesTheMomentsOfTheBatch) {
  expect_matches_definition(network_, dense_weave(network_, options_, true), {.training = true});
}

TEST_P(WeaveTest, MatchesTheDefinitionOnEveryGraph) {
  Weave network(options_, kLengthShape, 5);
  expect_matches_definition_on_graphs(stirred(network), dense_weave(network, options_, false));
}

TEST_P(WeaveTest, PermutingAtomsChangesNothing) {
  expect_permuting_atoms_changes_nothing(network_);
  expect_permuting_atoms_changes_nothing_on_graphs(Weave(options_, kLengthShape, 5));
}

TEST_P(WeaveTest, AtomWithoutEntriesHasAPrediction) { expect_atom_without_entries_works(network_); }

TEST_P(WeaveTest, BitsDoNotDependOnThreads) {
  expect_same_bits_for_any_threads([this] {
    return std::make_shared<const Weave>(WeaveOptions{2, 32, 16, options_.gaussian}, kMoleculeShape,
                                         3);
  });
}

INSTANTIATE_TEST_SUITE_P(Gaussians, WeaveTest, testing::Bool());

// With one output, as published for FreeSolv, ESOL and Lipophilicity, which have P₄, P₅, L and R in the
// last layer too, where nothing reads what they make.
TEST(Weave, HasTheWeightsOfTheReferenceThatAreRead) {
  const NetworkShape shape{
      .num_features = 74, .num_outputs = 1, .reads_out = true, .num_entry_features = 13};
  const auto unread = [](int64_t atom, int64_t entry, int64_t d) {
    return 2 * (atom + 1) * d + (entry + 1) * d + (3 * d + 1) * d;
  };
  EXPECT_EQ(num_weights(Weave({1, 64, 64, false}, shape, 0)), 41153 - unread(74, 13, 64));
  EXPECT_EQ(num_weights(Weave({3, 256, 128, true}, shape, 0)), 1920897 - unread(256, 256, 256));
  EXPECT_EQ(num_weights(Weave({2, 64, 256, false}, shape, 0)), 95617 - unread(64, 64, 64));
}

}  // namespace
}  // namespace emgnn
