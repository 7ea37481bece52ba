// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../learn/small_problems.h"
#include "tiny_methods.h"

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;

DataPtr relations() { return std::make_shared<const Data>(small_relations()); }

std::shared_ptr<Learner> learner_of(const DataPtr& data, const char* epochs = "5") {
  auto settings = tiny_settings();
  settings["fit.epochs"] = epochs;
  settings["optim.learning_rate"] = "0.02";
  settings["stop.rule"] = "never";
  return configured("gtn", *data, settings)
      ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
}

double share(const Learner& learner, const std::string& name) {
  for (const ViewShare& one : learner.summary().shares)
    if (one.name == name) return one.value;
  ADD_FAILURE() << "no edge type " << name;
  return 0.0;
}

TEST(GtnMethod, SelectsTheEdgeTypeThatHelps) {
  const auto learner = learner_of(relations(), "100");
  fit(*learner);
  ASSERT_EQ(learner->summary().shares.size(), 5U);  // two types in two directions, the node itself
  double total = 0.0;
  for (const ViewShare& one : learner->summary().shares) total += one.value;
  EXPECT_NEAR(total, 1.0, 1e-6);
  EXPECT_GT(share(*learner, "informative:item-person"),
            1.5 * share(*learner, "misleading:item-place"));
  EXPECT_FALSE(learner->graphs().has_value());  // weights of types are no distribution
}

TEST(GtnMethod, ResumesAfterEveryInterruption) {
  const DataPtr data = relations();
  EXPECT_GE(expect_resumable([&] { return learner_of(data); }), 5);
}

// Node types are listed in the order in which the files name them.
TEST(GtnMethod, AModelKnowsTheEdgeTypesByName) {
  const DataPtr data = relations();
  Dataset other = small_relations();
  std::reverse(other.node_type_names.begin(), other.node_type_names.end());
  for (int32_t& type : other.node_type) type = 2 - type;
  std::reverse(other.graph.relations.begin(), other.graph.relations.end());
  const DataPtr there = std::make_shared<const Data>(std::move(other));
  const auto first = learner_of(data, "20"), second = learner_of(there, "20");
  fit(*first);
  restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
  const std::vector<double> want = first->predict(data->predicted_rows(), {}).value;
  const std::vector<double> got = second->predict(data->predicted_rows(), {}).value;
  ASSERT_EQ(got.size(), want.size());
  // Sums over five types in another order: one of a softmax and one on the edges in each of three
  // steps, of the rows and of what they are divided by. Fewer than 64 roundings.
  constexpr double kClose = 64 * 0x1.0p-24;
  double lowest = 0.0, highest = -1e9;
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], kClose * (1.0 + std::abs(want[i])));
    lowest = std::min(lowest, want[i]);
    highest = std::max(highest, want[i]);
  }
  EXPECT_GT(highest - lowest, 1.0);
  EXPECT_NEAR(share(*second, "informative:item-person"), share(*first, "informative:item-person"),
              kClose);
}

TEST(GtnMethod, EdgeTypesThatTheModelDoesNotKnowAreNamed) {
  const auto first = learner_of(relations());
  fit(*first);
  Dataset other = small_relations();
  other.graph.relations[0].name = "sold";
  const auto second = learner_of(std::make_shared<const Data>(std::move(other)));
  try {
    restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("select.sold:item-person"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace emgnn
