// SPDX-License-Identifier: Apache-2.0
// Graphs that depend on what a network says of the nodes.
#include <gtest/gtest.h>

#include "../base/with_threads.h"
#include "cross_fit.h"

namespace emgnn {
namespace {

Setting doubting(Setting out) {
  out.mixture = {.views = "reliable, knn:2", .mixing = Mixing::kShares, .step = 0.5};
  out.em.em.rounds = 2;
  out.em.em.steps = 2;
  out.em.em.warmup = 1;
  return out;
}

TEST(Beliefs, ResumedTrainingIsTheSame) {
  const Setting setting = doubting(full_setting());
  EXPECT_GT(expect_resumable([&] { return cross_fit(setting); }), 10);
  // By the training loss, with one network.
  const Setting published = doubting({});
  EXPECT_GT(expect_resumable([&] { return published.learner(); }), 5);
}

TEST(Beliefs, StoredModelPredictsTheSameAndHasTheSameTables) {
  for (const bool several : {true, false}) {
    const Setting setting = doubting(several ? full_setting() : Setting());
    const auto make = [&] { return several ? cross_fit(setting) : setting.learner(); };
    const auto first = make(), second = make();
    fit(*first);
    const std::string table = first->graph_report().tables.at(0).csv;
    restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
    const Prediction want = predict(*first, *setting.data), got = predict(*second, *setting.data);
    EXPECT_EQ(got.value, want.value);
    EXPECT_EQ(second->graph_report().tables.at(0).csv, table);
    EXPECT_EQ(first->graph_report().tables.at(0).csv, table);
  }
}

TEST(Beliefs, BitsDoNotDependOnThreads) {
  const Setting setting = doubting(full_setting());
  const auto run = [&] {
    const auto learner = cross_fit(setting);
    fit(*learner);
    return state_of(*learner);
  };
  EXPECT_EQ(with_threads(1, run), with_threads(3, run));
}

// What network k says of the labels that it has not seen does not depend on them.
TEST(Beliefs, AreThoseOfANetworkWithoutItsHeldOutLabels) {
  Setting setting = doubting(deaf_setting());
  setting.em.em.posterior = PosteriorMode::kPrior;
  const Folds folds = folds_of(setting);
  const auto outputs = [&](const Setting& of) {
    std::vector<Problem> problems = members(of, folds);
    EmLearner learner(problems, of.em);
    fit(learner);
    // Members share networks with the learner; beliefs are each problem's own.
    Problem& first = problems[0];
    const Posterior p = Posterior::uniform(first.family().all_ids());
    first.believe({p.lam_ids(), p.log_probs()}, {});
    return first.outputs(first.family().all_ids(), {});
  };
  Dataset other = *setting.data->graph();
  for (int32_t row : folds[0]) {
    int32_t& cls = other.labels.cls[static_cast<size_t>(row)];
    cls = (cls + 1) % other.labels.num_classes();
  }
  Setting changed = setting;
  changed.data = std::make_shared<const Data>(std::move(other));
  EXPECT_TRUE(outputs(setting).equal(outputs(changed)));
}

// Agreement weighs only once there is something to agree on.
TEST(Beliefs, ChangeTheGraphs) {
  const Setting setting = doubting({});
  Problem problem(setting.parts(), setting.problem);
  const std::vector<int64_t> ids = problem.family().all_ids();
  const at::Tensor before = problem.outputs(ids, {});
  const Posterior p = Posterior::uniform(ids);
  problem.believe({p.lam_ids(), p.log_probs()}, {});
  const at::Tensor after = problem.outputs(ids, {});
  for (size_t g = 0; g < ids.size(); ++g) {
    const LambdaPoint lam = problem.family().point(ids[g]);
    // Two edge types in doubt, similar nodes, none; then trust, similarity and agreement.
    ASSERT_EQ(lam.size(), 7U);
    const bool agrees = lam.back() > 0.0 && lam[0] + lam[1] > 0.0;
    EXPECT_EQ(before[static_cast<int64_t>(g)].equal(after[static_cast<int64_t>(g)]), !agrees);
  }
}

}  // namespace
}  // namespace emgnn
