// SPDX-License-Identifier: Apache-2.0
// GCN, GAT and GIN in the forms in which they are published for molecules.
#include "bonded_molecules.h"

#include <emgnn/models/molecular_gin.h>

namespace emgnn {
namespace {

using kernels::Activation;
using Rows = std::vector<at::Tensor>;  // [atoms, width] of each molecule

// Row u of column v: an entry from u to v.
at::Tensor neighbours(const BondedMolecule& molecule) {
  at::Tensor a = at::zeros({molecule.num_atoms(), molecule.num_atoms()}, at::kDouble);
  for (const BondedMolecule::Entry& e : molecule.entries) a[e.to][e.from] = 1.0;
  return a;
}

// γ (h − μ) / √(σ² + ε) + β with the moments of all rows, or with the running ones.
void dense_norm(const Network& network, const std::string& name, Rows& rows, bool batch_moments) {
  at::Tensor mean = value_of(network, name + "_mean"), var = value_of(network, name + "_var");
  if (batch_moments) {
    const at::Tensor all = at::cat(rows);
    mean = all.mean(0);
    var = (all - mean).square().mean(0);
  }
  for (at::Tensor& h : rows) {
    h = (h - mean) / (var + 1e-5).sqrt() * value_of(network, name + "_weight") +
        value_of(network, name + "_bias");
  }
}

at::Tensor dense_normed_head(const Network& network, const Rows& rows, bool batch_moments) {
  Rows hidden;
  for (const at::Tensor& h : rows) {
    const at::Tensor g = dense_readout(network, Readout::kWeightedSumAndMax, h);
    hidden.push_back(at::relu(dense_linear(network, "head", g)).unsqueeze(0));
  }
  dense_norm(network, "head.norm", hidden, batch_moments);
  return dense_linear(network, "output", at::cat(hidden));
}

constexpr HeadOptions kHead{.head = 4, .head_norm = true};

void expect_published_form(Network& network,
                           const std::function<Definition(bool batch_moments)>& definition) {
  stirred(network);
  expect_matches_definition(network, definition(false));
  expect_matches_definition(network, definition(true), {.training = true});
  expect_permuting_atoms_changes_nothing(network);
  expect_atom_without_entries_works(network);
}

GcnOptions gcn_of(int64_t layers, int64_t width) {
  return {.stack = {.layers = layers, .hidden = width, .dropout = 0.0},
          .self = SelfWeights::kBranch};
}

TEST(PublishedGcn, IsASumOfTwoBranches) {
  const GcnOptions options = gcn_of(2, 5);
  const auto network = make_stack<GcnLayer>(options, kMoleculeShape, kHead);
  expect_published_form(*network, [&](bool batch_moments) {
    return [&, batch_moments](const std::vector<BondedMolecule>& molecules) {
      Rows rows;
      for (const BondedMolecule& molecule : molecules) {
        at::Tensor h = molecule.x;
        for (int64_t l = 0; l < options.stack.layers; ++l) {
          const auto value = [&](const char* name) { return layer_value(*network, l, name); };
          h = at::relu(neighbours(molecule).matmul(h).matmul(value("weight")) + value("bias")) +
              at::relu(h.matmul(value("self_weight")) + value("self_bias"));
        }
        rows.push_back(h);
      }
      return dense_normed_head(*network, rows, batch_moments);
    };
  });
}

GatOptions gat_of(int64_t layers, int64_t width, int64_t heads, bool skip) {
  return {.stack = {.layers = layers,
                    .hidden = width,
                    .activation = Activation::kElu,
                    .dropout = 0.0,
                    .input_dropout = 0.0,
                    .init = Init::kXavierNormal},
          .heads = heads,
          .attention_dropout = 0.0,
          .attention_slope = 0.4,
          .form = {.skip = skip, .mean_heads = true}};
}

std::shared_ptr<Network> make_published_gat(const GatOptions& options, const NetworkShape& shape,
                                            const HeadOptions& head) {
  return make_stack<GatLayer>({.stack = options.stack,
                               .head = head,
                               .shape = shape,
                               .seed = 6,
                               .hidden_outputs = options.heads * options.stack.hidden,
                               .last_outputs = options.stack.hidden},
                              options, false);
}

// One head of one layer, before the bias.
at::Tensor dense_gat_head(const Network& network, const GatOptions& options, int64_t layer,
                          int64_t head, const BondedMolecule& molecule, const at::Tensor& h) {
  const int64_t d = options.stack.hidden;
  const auto own = [&](const at::Tensor& all) { return all.narrow(-1, head * d, d); };
  const at::Tensor z = h.matmul(own(layer_value(network, layer, "weight")));
  const at::Tensor of_row = z.matmul(layer_value(network, layer, "attention_left")[head]);
  const at::Tensor of_col = z.matmul(layer_value(network, layer, "attention_right")[head]);
  at::Tensor score =
      at::leaky_relu(of_row.unsqueeze(1) + of_col.unsqueeze(0), options.attention_slope);
  score = score.masked_fill(neighbours(molecule).eq(0.0), -1e300);
  const at::Tensor out = at::softmax(score, 1).matmul(z);
  if (!options.form.skip) return out;
  const std::string name = "layers." + std::to_string(layer) + ".residual_weight";
  return out + own(has_parameter(network, name) ? h.matmul(value_of(network, name)) : h);
}

TEST(PublishedGat, AveragesTheHeadsOfTheLastLayer) {
  for (const bool skip : {false, true}) {
    const GatOptions options = gat_of(3, 3, 2, skip);
    const auto network = make_published_gat(options, kMoleculeShape, kHead);
    // The second and third layers are as wide as their inputs: they add these as they are.
    EXPECT_EQ(has_parameter(*network, "layers.0.residual_weight"), skip);
    EXPECT_FALSE(has_parameter(*network, "layers.1.residual_weight"));
    expect_published_form(*network, [&](bool batch_moments) {
      return [&, batch_moments](const std::vector<BondedMolecule>& molecules) {
        Rows rows;
        for (const BondedMolecule& molecule : molecules) {
          at::Tensor h = molecule.x;
          for (int64_t l = 0; l < options.stack.layers; ++l) {
            Rows heads;
            for (int64_t k = 0; k < options.heads; ++k) {
              heads.push_back(dense_gat_head(*network, options, l, k, molecule, h) +
                              layer_value(*network, l, "bias").narrow(0, 3 * k, 3));
            }
            h = l + 1 < options.stack.layers ? at::elu(at::cat(heads, 1))
                                             : at::stack(heads).mean(0);
          }
          rows.push_back(h);
        }
        return dense_normed_head(*network, rows, batch_moments);
      };
    });
  }
}

std::shared_ptr<Network> make_gin(const MolecularGinLayer::Options& options,
                                  const HeadOptions& head) {
  StackOptions stack = options.stack;
  stack.jumping = options.molecular.jumping;
  return make_stack<MolecularGinLayer>({.stack = stack,
                                        .head = head,
                                        .shape = kMoleculeShape,
                                        .seed = 6,
                                        .hidden_outputs = options.stack.hidden,
                                        .jumps_from_embedding = true},
                                       options);
}

// Σ_e f_e of the entries of each atom.
at::Tensor feature_sums(const BondedMolecule& molecule) {
  at::Tensor out = at::zeros({molecule.num_atoms(), kNumEntryFeatures}, at::kDouble);
  for (const BondedMolecule::Entry& e : molecule.entries) out[e.to] += e.f;
  return out;
}

at::Tensor dense_gin(const Network& network, const MolecularGinLayer::Options& options,
                     const std::vector<BondedMolecule>& molecules, bool batch_moments) {
  Rows h;
  for (const BondedMolecule& molecule : molecules)
    h.push_back(dense_linear(network, "layers.0.embedding", molecule.x));
  std::vector<Rows> states = {h};
  for (int64_t l = 0; l < options.stack.layers; ++l) {
    const std::string layer = "layers." + std::to_string(l) + ".";
    for (size_t i = 0; i < h.size(); ++i) {
      at::Tensor sum = h[i] + neighbours(molecules[i]).matmul(h[i]);
      if (options.molecular.bond_features)
        sum = sum + feature_sums(molecules[i]).matmul(value_of(network, layer + "bond_weight"));
      h[i] = dense_linear(network, layer + "outer",
                          at::relu(dense_linear(network, layer + "inner", sum)));
    }
    dense_norm(network, layer + "norm", h, batch_moments);
    for (at::Tensor& rows : h)
      if (l + 1 < options.stack.layers) rows = at::relu(rows);
    states.push_back(h);
  }
  Rows out;
  for (size_t i = 0; i < h.size(); ++i) {
    Rows all;
    for (const Rows& state : states) all.push_back(state[i]);
    const at::Tensor seen = options.molecular.jumping == Jumping::kLast     ? all.back()
                            : options.molecular.jumping == Jumping::kConcat ? at::cat(all, 1)
                            : options.molecular.jumping == Jumping::kMax    ? at::stack(all).amax(0)
                                                                            : at::stack(all).sum(0);
    out.push_back(dense_linear(network, "output", seen.mean(0)));
  }
  return at::stack(out);
}

TEST(PublishedGin, ReadsBondsAndAllLayers) {
  for (const Jumping jumping : {Jumping::kLast, Jumping::kConcat, Jumping::kMax, Jumping::kSum}) {
    const MolecularGinLayer::Options options{
        .stack = {.layers = 2, .hidden = 4, .dropout = 0.0},
        .molecular = {.bond_features = jumping != Jumping::kMax, .jumping = jumping}};
    const auto network = make_gin(options, {.readout = Readout::kMean, .head = 0});
    expect_published_form(*network, [&](bool batch_moments) {
      return [&, batch_moments](const std::vector<BondedMolecule>& molecules) {
        return dense_gin(*network, options, molecules, batch_moments);
      };
    });
  }
}

// With one output, as published for FreeSolv, ESOL and Lipophilicity.
TEST(PublishedForms, HaveAsManyWeightsAsTheReference) {
  const NetworkShape shape{.num_features = 74, .num_outputs = 1, .reads_out = true};
  const auto gcn = [&](int64_t layers, int64_t width, int64_t head) {
    return num_weights(
        *make_stack<GcnLayer>(gcn_of(layers, width), shape, {.head = head, .head_norm = true}));
  };
  EXPECT_EQ(gcn(2, 32, 64), 11298);
  EXPECT_EQ(gcn(1, 128, 1024), 285570);
  EXPECT_EQ(gcn(2, 128, 16), 56514);
  const auto gat = [&](const GatOptions& options, int64_t head) {
    return num_weights(*make_published_gat(options, shape, {.head = head, .head_norm = true}));
  };
  EXPECT_EQ(gat(gat_of(1, 256, 4, true), 256), 286978);
  EXPECT_EQ(gat(gat_of(1, 32, 4, true), 16), 20450);
  EXPECT_EQ(gat(gat_of(5, 128, 8, false), 64), 4302210);
}

}  // namespace
}  // namespace emgnn
