// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/edges.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "../models/gradient_check.h"
#include "dense_propagation.h"
#include "random_molecules.h"
#include "rewire_graph.h"

#include <emgnn/space/mixture.h>
#include <emgnn/space/molecule_family.h>
#include <emgnn/space/no_graph.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 17;

// The entries of one graph as a matrix [outputs, inputs].
at::Tensor matrix_of(const Edges& edges, int64_t graph) {
  at::Tensor out = at::zeros({edges.pattern.num_rows, edges.pattern.num_cols}, at::kDouble);
  for (int32_t i = 0; i < edges.pattern.num_rows; ++i)
    for (const auto [e, j] : edges.pattern.row(i))
      out[i][j] += edges.weight[graph][e].item<double>();
  return out;
}

// Weights of S are at most 1 and of up to kNodes summands: a float32 result is off by less than
// kNodes ε of the largest input.
constexpr double kClose = kNodes * 1.2e-7;

// What holds for the entries of every hop.
void expect_entries_are_the_propagation(const Propagation& hop) {
  const Edges& edges = *hop.edges();
  ASSERT_EQ(edges.num_graphs(), hop.num_graphs());
  ASSERT_EQ(edges.pattern.num_rows, hop.num_outputs());
  ASSERT_EQ(edges.pattern.num_cols, hop.num_inputs());
  EXPECT_EQ(hop.edges().get(), &edges);  // made once
  const auto num_entries = static_cast<size_t>(edges.num_entries());
  ASSERT_EQ(edges.type.size(), num_entries);
  ASSERT_EQ(edges.row.size(), num_entries);
  for (int32_t i = 0; i < edges.pattern.num_rows; ++i) {
    for (const auto [e, j] : edges.pattern.row(i)) {
      EXPECT_EQ(edges.row[static_cast<size_t>(e)], i);
      EXPECT_GE(edges.type[static_cast<size_t>(e)], 0);
      EXPECT_LT(edges.type[static_cast<size_t>(e)], edges.num_types);
    }
  }
  for (int32_t j = 0; j < edges.pattern.num_cols; ++j) {
    for (const auto [k, i] : edges.backward.csr.row(j)) {
      const auto e = static_cast<size_t>(edges.backward.entry[static_cast<size_t>(k)]);
      EXPECT_EQ(edges.pattern.col[e], j);
      EXPECT_EQ(edges.row[e], i);
    }
  }
  const at::Tensor h = random_tensor({hop.num_inputs(), 3}, 1);
  const at::Tensor out = hop.apply(h);
  for (int64_t g = 0; g < hop.num_graphs(); ++g) {
    const at::Tensor want = matrix_of(edges, g).matmul(h.to(at::kDouble)).to(at::kFloat);
    EXPECT_TRUE(at::allclose(edges.blocks ? out : out[g], want, kClose, kClose)) << "graph " << g;
  }
}

// The rows and columns of a dense S that a hop has.
at::Tensor part_of(const at::Tensor& dense, const Propagation& hop,
                   const std::vector<int32_t>& outputs) {
  return dense.index_select(0, at::tensor(outputs)).index_select(1, at::tensor(hop.input_nodes()));
}

// Calls check(row, column, entry) with the nodes of each entry.
template <class Check>
void for_each_entry(const Propagation& hop, const std::vector<int32_t>& outputs,
                    const Check& check) {
  const Csr& pattern = hop.edges()->pattern;
  for (int32_t i = 0; i < pattern.num_rows; ++i)
    for (const auto [e, j] : pattern.row(i))
      check(outputs[static_cast<size_t>(i)], hop.input_nodes()[static_cast<size_t>(j)],
            static_cast<size_t>(e));
}

class NodeEdgesTest : public testing::TestWithParam<Normalisation> {
 protected:
  // Two hops, so that the first has other outputs than were asked for; their output nodes.
  struct Hops {
    GraphBatch batch;
    std::vector<int32_t> outputs[2];
  };
  static Hops hops_of(const GraphFamily& family, std::span<const int64_t> lams) {
    const std::vector<int32_t> rows = {11, 2, 9};
    Hops out{.batch = family.view(rows, {.num_hops = 2})->batch({.lam_ids = lams}), .outputs = {}};
    out.outputs[0] = out.batch.hop(1).input_nodes();
    out.outputs[1] = rows;
    return out;
  }

  // Over λ the entries are S_λ; `dense(g)` is that of the g-th graph on all nodes.
  template <class Dense>
  static void expect_weights(const Hops& hops, const Dense& dense) {
    for (int k : {0, 1}) {
      const Propagation& hop = hops.batch.hop(k);
      expect_entries_are_the_propagation(hop);
      for (int64_t g = 0; g < hop.num_graphs(); ++g) {
        const at::Tensor want = part_of(dense(g), hop, hops.outputs[k]);
        const at::Tensor got = matrix_of(*hop.edges(), g);
        EXPECT_TRUE(at::allclose(got, want, 1e-5, 0));
        EXPECT_TRUE(got.eq(0).equal(want.eq(0)));  // what is absent is exactly 0
      }
    }
  }
};

TEST_P(NodeEdgesTest, OfAMixtureHaveItsWeightsAndTheFirstRelationThatHasThem) {
  const TypedGraph graph = small_graph(kNodes, 3, 20, 1);
  const auto family = MixtureFamily::make(
      data_of(graph), {.normalisation = GetParam(), .step = 0.25, .total = 3.0});
  const std::vector<int64_t> lams = {0, 6, 10, 14};  // some give a relation no weight
  const Hops hops = hops_of(*family, lams);
  expect_weights(hops, [&](int64_t g) {
    LambdaPoint lam = family->point(lams[static_cast<size_t>(g)]);
    for (double& weight : lam) weight *= 3.0;
    return dense_propagation(dense_adjacency(graph, lam), GetParam());
  });
  std::vector<at::Tensor> relations;
  for (const Relation& relation : graph.relations)
    relations.push_back(dense_matrix(relation.adjacency));
  std::vector<int> seen(4);
  for (int k : {0, 1}) {
    const Edges& edges = *hops.batch.hop(k).edges();
    EXPECT_EQ(edges.num_types, 4);
    EXPECT_TRUE(edges.feature.empty());
    for_each_entry(hops.batch.hop(k), hops.outputs[k], [&](int32_t i, int32_t j, size_t e) {
      int32_t first = 0;
      while (first < 3 && relations[static_cast<size_t>(first)][i][j].item<double>() == 0.0)
        ++first;
      EXPECT_EQ(edges.type[e], first);
      EXPECT_EQ(first == 3, i == j);
      ++seen[static_cast<size_t>(first)];
    });
  }
  for (int count : seen) EXPECT_GT(count, 0);
}

TEST_P(NodeEdgesTest, OfRewiredGraphsHaveTheirWeightsAndSayWhatTheyAre) {
  for (const Drawing drawing : {Drawing::kCoupled, Drawing::kAuthors}) {
    RewireGraph graph = random_rewire_graph(kNodes, 30, 25, 2);
    for (int32_t i = 0; i < kNodes; ++i)  // the same weight in both directions
      for (const auto [e, j] : graph.adjacency.row(i))
        graph.adjacency.val.push_back(0.5F * static_cast<float>(1 + (i * j) % 3));
    const auto family = rewire_family(graph,
                                      {.normalisation = GetParam(),
                                       .grid = 4,
                                       .max_drop = 0.6,
                                       .max_add = 0.7,
                                       .draws = 2,
                                       .drawing = drawing},
                                      3);
    const RewireDraws& draws = family->draws();
    const std::vector<int64_t> lams = {0, 15, 5, 31, 20};
    const Hops hops = hops_of(*family, lams);
    expect_weights(hops, [&](int64_t g) {
      return dense_propagation(dense_adjacency(graph, draws, lams[static_cast<size_t>(g)]),
                               GetParam());
    });
    const at::Tensor given = dense_matrix(graph.adjacency);
    std::vector<int> seen(3);
    for (int k : {0, 1}) {
      const Edges& edges = *hops.batch.hop(k).edges();
      EXPECT_EQ(edges.num_types, 3);
      EXPECT_TRUE(edges.feature.empty());
      for_each_entry(hops.batch.hop(k), hops.outputs[k], [&](int32_t i, int32_t j, size_t e) {
        const bool is_edge = given[i][j].item<double>() != 0.0;
        const int32_t want = i == j ? 2 : is_edge ? 0 : 1;
        EXPECT_EQ(edges.type[e], want);
        ++seen[static_cast<size_t>(want)];
      });
    }
    for (int count : seen) EXPECT_GT(count, 0);
    EXPECT_TRUE(hops.batch.hop(1).edges()->weight.eq(0).any().item<bool>());
  }
}

TEST_P(NodeEdgesTest, OfTheGraphAsGivenAreAllItsEdges) {
  const TypedGraph graph = small_graph(kNodes, 2, 20, 4);
  const auto family = MixtureFamily::observed_only(data_of(graph), {.normalisation = GetParam()});
  const Hops hops = hops_of(*family, {});
  expect_weights(hops, [&](int64_t) {
    return dense_propagation(dense_adjacency(graph, {1, 1}), GetParam());
  });
  EXPECT_TRUE(hops.batch.hop(0).edges()->weight.gt(0).all().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(Normalisations, NodeEdgesTest,
                         testing::Values(Normalisation::kRow, Normalisation::kSymmetric));

TEST(Edges, WithoutAGraphAreTheRowsThemselves) {
  const std::vector<int32_t> rows = {11, 2, 9};
  const NoGraphFamily family(data_of(small_graph(kNodes, 1, 20, 1)));
  const GraphBatch batch = family.view(rows, {})->batch({});
  expect_entries_are_the_propagation(batch.hop(0));
  EXPECT_EQ(batch.hop(0).input_nodes(), rows);
  EXPECT_TRUE(matrix_of(*batch.hop(0).edges(), 0).equal(at::eye(3, at::kDouble)));
  EXPECT_EQ(batch.hop(0).edges()->type, (std::vector<int32_t>{0, 0, 0}));
}

class MoleculeEdgesTest
    : public testing::TestWithParam<std::tuple<Aggregation, bool /* self loops */>> {
 protected:
  BondOptions options() const { return {std::get<0>(GetParam()), std::get<1>(GetParam())}; }

  // The atom, counted over all molecules, that each row of each hop stands for: [hops + 1].
  std::vector<at::Tensor> atoms_of_rows(const GraphBatch& batch,
                                        std::span<const int32_t> molecules) const {
    std::vector<float> atoms;
    for (int32_t m : molecules) {
      for (int64_t a = 0; a < molecules_->num_atoms(m); ++a)
        atoms.push_back(static_cast<float>(molecules_->atom_begin[static_cast<size_t>(m)] + a));
    }
    std::vector<at::Tensor> out = {at::tensor(atoms).unsqueeze(1)};
    for (const auto& hop : batch.hops) out.push_back(hop->self(out.back()));
    return out;
  }

  void expect_types_and_features(const GraphBatch& batch, std::span<const int32_t> molecules) {
    const std::vector<at::Tensor> atoms = atoms_of_rows(batch, molecules);
    const at::Tensor bonds = at::tensor(molecules_->bond_features).view({-1, kNumBondFeatures});
    const auto row_of = [&](bool own, int32_t bond) {
      at::Tensor row = at::zeros({kNumEntryFeatures});
      if (bond >= 0) row.narrow(0, 0, kNumBondFeatures).copy_(bonds[bond]);
      if (own) row[kNumBondFeatures] = 1.0;
      return row;
    };
    for (size_t k = 0; k < batch.hops.size(); ++k) {
      const Edges& edges = *batch.hops[k]->edges();
      expect_entries_are_the_propagation(*batch.hops[k]);
      EXPECT_TRUE(edges.blocks);
      EXPECT_EQ(edges.num_types, 3);
      ASSERT_EQ(edges.feature.size(), edges.type.size());
      for (int32_t i = 0; i < edges.pattern.num_rows; ++i) {
        for (const auto [entry, j] : edges.pattern.row(i)) {
          const auto e = static_cast<size_t>(entry);
          const auto a = atoms[k + 1][i].item<int32_t>(), b = atoms[k][j].item<int32_t>();
          const int32_t bond = bond_of(a, b);
          EXPECT_TRUE(edges.feature_table[edges.feature[e]].equal(row_of(a == b, bond)));
          EXPECT_EQ(edges.type[e], a == b ? 2 : bond >= 0 ? 1 : 0);
          ++seen_[static_cast<size_t>(edges.type[e])];
        }
      }
    }
  }

  const std::shared_ptr<const Molecules> molecules_ =
      std::make_shared<const Molecules>(random_molecules(6, 2, 7));
  std::vector<int> seen_ = std::vector<int>(3);

 private:
  int32_t bond_of(int64_t a, int64_t b) const {
    int64_t m = 0;
    while (molecules_->atom_begin[static_cast<size_t>(m) + 1] <= a) ++m;
    const int64_t first = molecules_->atom_begin[static_cast<size_t>(m)];
    return bond_between(*molecules_, m, static_cast<int32_t>(a - first),
                        static_cast<int32_t>(b - first));
  }
};

TEST_P(MoleculeEdgesTest, OfBondsNameTheBonds) {
  const auto family = MoleculeFamily::bonds_only(molecules_, options());
  const std::vector<int32_t> some = {4, 1, 2};
  const GraphBatch batch = family->observed(some, 2);
  expect_types_and_features(batch, some);
  std::vector<at::Tensor> blocks;
  for (int32_t m : some)
    blocks.push_back(molecule_propagation(bond_adjacency(*molecules_, m), options()));
  for (const auto& hop : batch.hops)
    EXPECT_TRUE(at::allclose(matrix_of(*hop->edges(), 0), at::block_diag(blocks), 1e-6, 0));
  EXPECT_EQ(seen_[0], 0);
  EXPECT_GT(seen_[1], 0);
  EXPECT_EQ(seen_[2] > 0, options().self_loops);
}

TEST_P(MoleculeEdgesTest, OfDistancesNameTheBondsAmongThePairs) {
  const auto family = MoleculeFamily::by_distance(
      molecules_, {.bonds = options(), .last_radius = 5.0, .radius_step = 0.25});
  const std::vector<int32_t> some = {4, 1, 2};
  std::vector<MoleculeItem> items;
  std::vector<at::Tensor> blocks;
  for (int32_t m : some) {
    for (int64_t k : {4, 8, 13}) {
      items.push_back(family->item(m, k, 1));
      const double radius = family->point(k)[0];
      blocks.push_back(
          molecule_propagation(distance_adjacency(*molecules_, m, 1, radius), options()));
    }
  }
  for (const bool share : {false, true})
    expect_types_and_features(family->batch(items, {3, share}), some);
  const GraphBatch batch = family->batch(items, {2, false});
  EXPECT_TRUE(at::allclose(matrix_of(*batch.hop(1).edges(), 0), at::block_diag(blocks), 1e-6, 0));
  EXPECT_GT(seen_[0], 0);
  EXPECT_GT(seen_[1], 0);
  EXPECT_EQ(seen_[2] > 0, options().self_loops);
}

INSTANTIATE_TEST_SUITE_P(Propagations, MoleculeEdgesTest,
                         testing::Combine(testing::Values(Aggregation::kMean, Aggregation::kSum,
                                                          Aggregation::kRoot,
                                                          Aggregation::kSymmetric),
                                          testing::Bool()));

}  // namespace
}  // namespace emgnn
