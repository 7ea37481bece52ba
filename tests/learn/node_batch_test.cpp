// SPDX-License-Identifier: Apache-2.0
// What a problem does in parts where a graph is large, against all at once.
#include <emgnn/learn/node_batch.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "small_problems.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr GcnOptions kGcn{.stack = {.layers = 2, .hidden = 8}};

// Remembers which rows it was asked for.
class WatchedClasses : public Task {
 public:
  explicit WatchedClasses(std::shared_ptr<Task> task) : task_(std::move(task)) {}
  LabelKind kind() const override { return task_->kind(); }
  int64_t num_outputs() const override { return task_->num_outputs(); }
  TargetRows target(std::span<const int32_t> rows) const override {
    asked.emplace_back(rows.begin(), rows.end());
    return task_->target(rows);
  }
  at::Tensor row_loss(const at::Tensor& outputs, const TargetRows& target) const override {
    return task_->row_loss(outputs, target);
  }
  at::Tensor outputs_of(const Prediction& p) const override { return task_->outputs_of(p); }
  at::Tensor right_outputs(const TargetRows& t) const override { return task_->right_outputs(t); }
  std::unique_ptr<Expectation> expectation(Average average, Detail detail) const override {
    return task_->expectation(average, detail);
  }
  Prediction average(std::span<const Prediction> p) const override { return task_->average(p); }
  std::span<const ScoreInfo> scores() const override { return task_->scores(); }
  const ScoreInfo& main_score() const override { return task_->main_score(); }
  PartScores score(const Prediction& p, Ranks ranks) const override {
    return task_->score(p, ranks);
  }
  mutable std::vector<std::vector<int32_t>> asked;

 private:
  std::shared_ptr<Task> task_;
};

std::shared_ptr<const Data> small_data() {
  static const auto data = std::make_shared<const Data>(small_relations());
  return data;
}

ProblemParts small_parts() { return gcn_parts(small_data(), kGcn, 3, {.step = 0.5}); }

ProblemOptions batches(NodeBatchOptions nodes) {
  nodes.batches = NodeBatches::kSampled;
  return {.nodes = nodes, .seed = 5};
}

TEST(NodeBatch, APassHasEveryTrainingRowOnce) {
  ProblemParts parts = small_parts();
  const auto task = std::make_shared<WatchedClasses>(parts.task);
  parts.task = task;
  std::vector<int32_t> left_out = {small_data()->split().train[3]};
  ProblemOptions options = batches({.size = 7, .fanout = "2", .epoch_steps = 2});
  options.left_out = left_out;
  Problem problem(parts, options);
  EXPECT_EQ(problem.steps_per_epoch(), 2);
  std::vector<std::vector<int32_t>> passes;
  for (int pass = 0; pass < 2; ++pass) {
    task->asked.clear();
    for (uint64_t step = 0; step < 5; ++step)  // 29 rows, the last one joins the fourth batch
      if (step < 4)
        problem.objective({}, {.training = true, .seed = 5, .step = uint64_t(pass) * 4 + step},
                          {0, 1});
    std::vector<int32_t> rows;
    for (const auto& batch : task->asked) {
      EXPECT_TRUE(batch.size() == 7 || batch.size() == 8);
      rows.insert(rows.end(), batch.begin(), batch.end());
    }
    passes.push_back(rows);
    std::sort(rows.begin(), rows.end());
    std::vector<int32_t> want = small_data()->split().train;
    std::erase(want, left_out[0]);
    EXPECT_EQ(rows, want);
  }
  EXPECT_NE(passes[0], passes[1]);  // in another order
}

// A field too large to be computed at once: the same predictions, layer by layer.
TEST(NodeBatch, PredictsTheSameLayerByLayer) {
  const ProblemParts parts = small_parts();
  Problem at_once(parts, {.seed = 5});
  Problem by_layers(parts, batches({.limits = {.judged_entries = 10}}));
  const std::vector<int64_t> ids = parts.family->all_ids();
  GraphWeights graphs{.lam_ids = ids, .log_prob = {}};
  for (size_t k = 0; k < ids.size(); ++k)
    graphs.log_prob.push_back(-std::log(static_cast<double>(ids.size())));
  const std::vector<int32_t>& rows = small_data()->predicted_rows();
  const Prediction want = at_once.predict(graphs, rows, {});
  const Prediction got = by_layers.predict(graphs, rows, {});
  ASSERT_EQ(got.value.size(), want.value.size());
  // Log probabilities of sums of at most 100 products in float32, in two layers.
  for (size_t i = 0; i < want.value.size(); ++i)
    EXPECT_NEAR(got.value[i], want.value[i], 2 * 100 * 6e-8 * 50);
}

TEST(NodeBatch, AFewRowsJudgeForAll) {
  const ProblemParts parts = small_parts();
  Problem few(parts, batches({.judged_rows = 9}));
  const std::vector<int64_t> ids = parts.family->all_ids();
  const std::vector<double> got = few.losses(ids, {});
  const std::vector<int32_t> rows = sample_rows(small_data()->split().train, 9, 0, 0);
  EXPECT_EQ(rows.size(), 9U);
  // The loss of these rows under one graph after the other.
  for (size_t k = 0; k < ids.size(); ++k) {
    const at::NoGradGuard no_grad;
    const GraphBatch batch =
        parts.family->view(rows, parts.network->needs())->batch({.lam_ids = std::span(&ids[k], 1)});
    const at::Tensor out = parts.network->forward(batch, parts.network->embed(batch.input, {}), {});
    EXPECT_NEAR(got[k], parts.task->row_loss(out, parts.task->target(rows)).mean().item<double>(),
                1e-5);
  }
}

// Too many neighbours: some of each, always the same ones. With as many as there are it is exact.
TEST(NodeBatch, JudgesByAFewNeighboursOfEachWhereTheyAreMany) {
  const auto losses = [](const ProblemOptions& options) {
    const ProblemParts parts = small_parts();  // problems that share them share their views
    return Problem(parts, options).losses(parts.family->all_ids(), {});
  };
  const std::vector<double> exact = losses({.seed = 5});
  const ProblemOptions rough = batches({.limits = {.judged_entries = 500}});
  const std::vector<double> got = losses(rough);
  EXPECT_EQ(losses(rough), got);
  EXPECT_NE(got, exact);
  for (size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(got[k], exact[k], 0.5);
  // All that there are.
  EXPECT_EQ(losses(batches({.limits = {.judged_entries = 1'000'000}})), exact);
}

TEST(NodeBatch, TheSizeOfTheGraphDecides) {
  const Dataset small = small_relations();
  EXPECT_FALSE(takes_batches({}, small));
  EXPECT_TRUE(takes_batches({.limits = {.full_batch_entries = 100}}, small));
  EXPECT_TRUE(takes_batches({.batches = NodeBatches::kSampled}, small));
  EXPECT_FALSE(
      takes_batches({.batches = NodeBatches::kFull, .limits = {.full_batch_entries = 100}}, small));
}

TEST(NodeBatch, ARandomSampleOfRowsIsTheSameEveryTime) {
  std::vector<int32_t> rows;
  for (int32_t i = 0; i < 100; ++i) rows.push_back(3 * i);
  const std::vector<int32_t> some = sample_rows(rows, 20, 1, 2);
  EXPECT_EQ(some.size(), 20U);
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
  EXPECT_EQ(std::set<int32_t>(some.begin(), some.end()).size(), 20U);
  EXPECT_EQ(sample_rows(rows, 20, 1, 2), some);
  EXPECT_NE(sample_rows(rows, 20, 1, 3), some);
  EXPECT_EQ(sample_rows(rows, 500, 1, 3), rows);
}

TEST(NodeBatch, FanoutsAreNumbersOrAll) {
  EXPECT_EQ(parse_fanout("12,8"), (std::vector<int64_t>{12, 8}));
  EXPECT_TRUE(parse_fanout("all").empty());
  EXPECT_THROW(parse_fanout("0"), UsageError);
  EXPECT_THROW(parse_fanout(""), UsageError);
  EXPECT_THROW(parse_fanout("3,"), UsageError);
}

}  // namespace
}  // namespace emgnn
