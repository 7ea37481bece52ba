// SPDX-License-Identifier: Apache-2.0
// space.mixing=learned: one graph whose shares are trained with the weights.
#include <gtest/gtest.h>

#include "../base/with_threads.h"
#include "../learn/small_problems.h"
#include "tiny_methods.h"

#include <emgnn/learn/ensemble_learner.h>
#include <emgnn/learn/task.h>

namespace emgnn {
namespace {

// Two edge types: one joins nodes of a class, the other does not.
std::shared_ptr<const Data> two_relations() {
  return std::make_shared<const Data>(noisy_relations({}, 1));
}

std::shared_ptr<Learner> learner_of(const std::shared_ptr<const Data>& data, const char* mixing,
                                    const char* epochs = "5", uint64_t seed = 5) {
  auto settings = tiny_settings();
  settings["space.mixing"] = mixing;
  settings["fit.epochs"] = epochs;
  settings["optim.learning_rate"] = "0.02";
  settings["stop.rule"] = "never";
  return configured("gcn", *data, settings)
      ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = seed});
}

TEST(LearnedGraph, FindsTheRelationThatHelps) {
  const auto data = two_relations();
  const auto learner = learner_of(data, "learned", "100");
  fit(*learner);
  const std::vector<ViewShare> shares = learner->summary().shares;
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0].name, "informative");
  EXPECT_EQ(shares[1].name, "misleading");
  EXPECT_EQ(shares[2].name, "none");
  EXPECT_GT(shares[0].value, 2.0 * shares[1].value);
  EXPECT_NEAR(shares[0].value + shares[1].value + shares[2].value, 1.0, 1e-12);
  EXPECT_FALSE(learner->graphs().has_value());  // one graph is no distribution
}

TEST(LearnedGraph, OtherMixingsLearnNoShares) {
  const auto learner = learner_of(two_relations(), "shares");
  fit(*learner);
  EXPECT_TRUE(learner->summary().shares.empty());
}

TEST(LearnedGraph, IsStoredWithTheWeights) {
  const auto data = two_relations();
  const auto first = learner_of(data, "learned"), second = learner_of(data, "learned");
  fit(*first);
  restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
  const std::vector<int32_t>& rows = data->predicted_rows();
  EXPECT_EQ(second->predict(rows, {}).value, first->predict(rows, {}).value);
  EXPECT_EQ(second->summary().shares[0].value, first->summary().shares[0].value);
  EXPECT_NE(first->summary().shares[0].value, first->summary().shares[1].value);
  expect_resumable([&] { return learner_of(data, "learned"); });
}

TEST(LearnedGraph, BitsDoNotDependOnThreads) {
  const auto data = two_relations();
  const auto run = [&] {
    const auto learner = learner_of(data, "learned");
    fit(*learner);
    return state_of(*learner);
  };
  EXPECT_EQ(with_threads(1, run), with_threads(3, run));
}

TEST(LearnedGraph, OfAnEnsembleIsTheMeanOfItsMembers) {
  const auto data = two_relations();
  const std::vector<std::shared_ptr<Learner>> members = {learner_of(data, "learned", "5", 1),
                                                         learner_of(data, "learned", "5", 2)};
  EnsembleLearner both(members, members[0]->task());
  fit(both);
  for (size_t v = 0; v < 3; ++v) {
    const double a = members[0]->summary().shares[v].value,
                 b = members[1]->summary().shares[v].value;
    EXPECT_NE(a, b);
    EXPECT_NEAR(both.summary().shares[v].value, 0.5 * (a + b), 1e-15);
  }
}

TEST(LearnedGraph, WhatCannotLearnSharesSaysSo) {
  const auto data = two_relations();
  auto settings = tiny_settings();
  settings["space.mixing"] = "learned";
  EXPECT_THROW(configured("em-gcn", *data, settings), UsageError);
  const LearnerInput input{.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5};
  EXPECT_THROW(configured("label-propagation", *data, settings)->learner(input), UsageError);
  EXPECT_THROW(fit(*configured("gat", *data, settings)->learner(input)), UsageError);
}

}  // namespace
}  // namespace emgnn
