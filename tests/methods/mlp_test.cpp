// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "../learn/small_problems.h"
#include "tiny_methods.h"

namespace emgnn {
namespace {

Dataset labelled_nodes(uint64_t seed = 1) {
  return noisy_citations({.num_nodes = 120,
                          .num_classes = 3,
                          .num_words = 50,
                          .train_per_class = 8,
                          .validation_per_class = 8},
                         seed);
}

std::vector<double> trained_predictions(const std::shared_ptr<const Data>& data) {
  const auto learner = tiny_learner("mlp", data);
  fit(*learner);
  return learner->predict(data->predicted_rows(), {}).value;
}

TEST(Mlp, EdgesOfAGraphChangeNothing) {
  const Dataset dataset = labelled_nodes();
  const auto want = trained_predictions(std::make_shared<const Data>(dataset));
  Dataset other = dataset;
  other.graph = labelled_nodes(8).graph;
  ASSERT_NE(other.graph.relations[0].adjacency.col, dataset.graph.relations[0].adjacency.col);
  EXPECT_EQ(trained_predictions(std::make_shared<const Data>(other)), want);
  // The features do change something.
  other.features = labelled_nodes(8).features;
  EXPECT_NE(trained_predictions(std::make_shared<const Data>(other)), want);
}

TEST(Mlp, ARowIsPredictedFromItsOwnFeatures) {
  const auto data = std::make_shared<const Data>(labelled_nodes());
  const auto learner = tiny_learner("mlp", data);
  fit(*learner);
  const Prediction all = learner->predict(data->predicted_rows(), {});
  const std::vector<int32_t> some = {7, 2, 99};
  const Prediction few = learner->predict(some, {});
  for (size_t i = 0; i < some.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(few.value[3 * i + c], all.value[3 * static_cast<size_t>(some[i]) + c], 1e-5);
    }
  }
}

TEST(Mlp, BondsOfMoleculesChangeNothing) {
  const std::shared_ptr<const Data> made = random_molecule_data(20, 1);
  const auto data_of = [&](const MoleculeTable& table) {
    Split split;
    for (int32_t m = 0; m < 20; ++m) (m < 14 ? split.train : split.validation).push_back(m);
    return std::make_shared<const Data>(std::make_shared<const MoleculeTable>(table), split);
  };
  MoleculeTable other = *made->table();
  // Every atom is bonded to the first of its molecule instead of to the one before.
  for (size_t b = 0; b < other.molecules.bond_atoms.size(); b += 2)
    other.molecules.bond_atoms[b + 1] = 0;
  ASSERT_NE(other.molecules.bond_atoms, made->table()->molecules.bond_atoms);
  EXPECT_EQ(trained_predictions(data_of(other)), trained_predictions(data_of(*made->table())));
}

}  // namespace
}  // namespace emgnn
