// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "../methods/tiny_methods.h"
#include "../test_name.h"
#include "small_problems.h"

#include <emgnn/learn/ensemble_learner.h>
#include <emgnn/learn/task.h>
#include <emgnn/run/config.h>

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;

constexpr uint64_t kSeed = 5;
constexpr int64_t kMembers = 3;

DataPtr make_data(const std::string& name) {
  if (name == "molecules") {
    const DataPtr all = random_molecule_data(24, 2);
    Split split;
    for (int32_t m = 0; m < 24; ++m)
      (m < 14 ? split.train : m < 19 ? split.validation : split.test).push_back(m);
    return std::make_shared<const Data>(all->table(), std::move(split));
  }
  if (name == "labels")
    return std::make_shared<const Data>(
        noisy_labels({.num_nodes = 100, .num_train = 30, .num_validation = 30}, 1));
  if (name == "values")
    return std::make_shared<const Data>(
        noisy_values({.num_nodes = 100, .num_train = 30, .num_validation = 30}, 1));
  if (name == "citations")
    return std::make_shared<const Data>(noisy_citations({.num_nodes = 120,
                                                         .num_classes = 3,
                                                         .num_words = 50,
                                                         .train_per_class = 8,
                                                         .validation_per_class = 8},
                                                        1));
  return std::make_shared<const Data>(noisy_relations({.num_items = 90,
                                                       .num_people = 40,
                                                       .num_places = 20,
                                                       .num_words = 40,
                                                       .train_per_class = 8,
                                                       .validation_per_class = 8},
                                                      1));
}

// What each member is alone.
std::vector<std::shared_ptr<Learner>> make_members(
    const std::string& method, const DataPtr& data,
    const std::shared_ptr<Prepared>& prepared = std::make_shared<Prepared>()) {
  const auto config = configured(method, *data, tiny_settings());
  std::vector<std::shared_ptr<Learner>> out;
  for (int64_t k = 0; k < kMembers; ++k)
    out.push_back(
        config->learner({.data = data,
                         .prepared = prepared,
                         .seed = member_seed(kSeed, Stream::kEnsemble, static_cast<uint64_t>(k))}));
  return out;
}

std::shared_ptr<EnsembleLearner> make_ensemble(const std::string& method, const DataPtr& data) {
  return std::make_shared<EnsembleLearner>(make_members(method, data),
                                           make_task(data->labels(), {}, data->split().train));
}

// What is averaged, probabilities of classes and labels or values, and how much of it hangs on graph
// and member: Var = E[Var] + Var[E], I = E[I] + Σ_k KL(p_k || p) / K.
struct Averaged {
  std::vector<double> mean, graph_part;
};
Averaged averaged_by_hand(const std::vector<Prediction>& each, LabelKind kind) {
  const auto average = [&](const auto& of) {
    double sum = 0.0;
    for (const Prediction& p : each) sum += of(p);
    return sum / static_cast<double>(each.size());
  };
  const auto divergence = [](double p, double q) { return p > 0.0 ? p * std::log(p / q) : 0.0; };
  const auto width = static_cast<size_t>(each.front().width);
  Averaged out;
  for (size_t i = 0; i < each.front().value.size(); ++i) {
    const auto m = [&](const Prediction& p) {
      return kind == LabelKind::kClasses ? std::exp(p.value[i]) : p.value[i];
    };
    const double mean = average(m);
    out.mean.push_back(mean);
    if (kind == LabelKind::kValues) {
      out.graph_part.push_back(std::sqrt(average([&](const Prediction& p) {
        return std::pow(p.graph_part[i], 2) + std::pow(m(p) - mean, 2);
      })));
      continue;
    }
    const size_t answer = kind == LabelKind::kClasses ? i / width : i;
    if (answer == out.graph_part.size())
      out.graph_part.push_back(average([&](const Prediction& p) { return p.graph_part[answer]; }));
    out.graph_part[answer] += average([&](const Prediction& p) {
      const double yes = divergence(m(p), mean);
      return kind == LabelKind::kClasses ? yes : yes + divergence(1.0 - m(p), 1.0 - mean);
    });
  }
  return out;
}

struct Case {
  std::string method, data;
};

std::string test_name(const testing::TestParamInfo<Case>& info) {
  return as_test_name(info.param.method + "_on_" + info.param.data);
}

class EnsembleOnData : public testing::TestWithParam<Case> {
 protected:
  std::shared_ptr<EnsembleLearner> ensemble() const {
    return make_ensemble(GetParam().method, data_);
  }
  Prediction predict(Learner& learner) const {
    return learner.predict(data_->predicted_rows(), {});
  }

  const DataPtr data_ = make_data(GetParam().data);
};

TEST_P(EnsembleOnData, PredictsTheMeanOfLearnersThatWereFittedAlone) {
  std::vector<Prediction> each;
  for (const auto& member : make_members(GetParam().method, data_)) {
    fit(*member);
    each.push_back(predict(*member));
  }
  const LabelKind kind = data_->labels().kind;
  const Averaged want = averaged_by_hand(each, kind);
  const auto together = ensemble();
  fit(*together);
  const Prediction got = predict(*together);
  EXPECT_EQ(got.rows, each.front().rows);
  EXPECT_EQ(got.width, each.front().width);
  ASSERT_EQ(got.value.size(), want.mean.size());
  // A mean of three is right to some roundings of numbers of this size.
  for (size_t i = 0; i < want.mean.size(); ++i) {
    const double mean = kind == LabelKind::kClasses ? std::exp(got.value[i]) : got.value[i];
    EXPECT_NEAR(mean, want.mean[i], 1e-14 * (1.0 + std::abs(want.mean[i])));
  }
  // Entropies and divergences of a few classes are sums of terms of size 1; of deviations the
  // squares are exact to rounding, and the root of one near zero is the less so.
  ASSERT_EQ(got.graph_part.size(), want.graph_part.size());
  for (size_t i = 0; i < want.graph_part.size(); ++i)
    EXPECT_NEAR(got.graph_part[i], want.graph_part[i], 1e-13 * (1.0 + want.graph_part[i]));
  for (size_t i = 0; i < got.votes.size(); ++i) {
    double votes = 0.0;
    for (const Prediction& p : each) votes += p.votes[i] / kMembers;
    EXPECT_NEAR(got.votes[i], votes, 1e-14);
  }
  EXPECT_EQ(each[0].value == each[1].value, GetParam().method == "label-propagation");
}

TEST_P(EnsembleOnData, StoredModelPredictsTheSameBits) {
  const auto trained = ensemble(), other = ensemble();
  fit(*trained);
  restore(*other, state_of(*trained, Scope::kModel), Scope::kModel);
  EXPECT_EQ(predict(*other).value, predict(*trained).value);
  EXPECT_EQ(predict(*other).graph_part, predict(*trained).graph_part);
  EXPECT_EQ(predict(*other).votes, predict(*trained).votes);
}

TEST_P(EnsembleOnData, GoesOnAfterAnyInterruptionToTheSameBits) {
  // Each member asks before each of its 5 epochs or 10 iterations, and once nobody asks any more.
  const int per_member = GetParam().method == "label-propagation" ? 10 : 5;
  EXPECT_GE(expect_resumable([&] { return ensemble(); }), kMembers * per_member + 1);
}

TEST_P(EnsembleOnData, SummaryCountsEveryMember) {
  const auto together = ensemble();
  fit(*together);
  FitSummary want;
  for (const auto& member : make_members(GetParam().method, data_)) {
    fit(*member);
    const FitSummary one = member->summary();
    want.epochs += one.epochs;
    want.rounds.insert(want.rounds.end(), one.rounds.begin(), one.rounds.end());
  }
  const FitSummary got = together->summary();
  EXPECT_EQ(got.epochs, want.epochs);
  ASSERT_EQ(got.rounds.size(), want.rounds.size());
  for (size_t i = 0; i < got.rounds.size(); ++i) {
    EXPECT_EQ(got.rounds[i].round, want.rounds[i].round);
    EXPECT_EQ(got.rounds[i].mean_loss, want.rounds[i].mean_loss);
    EXPECT_EQ(got.rounds[i].member, static_cast<int64_t>(i / 2));  // two rounds each
  }
}

INSTANTIATE_TEST_SUITE_P(All, EnsembleOnData,
                         testing::Values(Case{"gcn", "relations"}, Case{"mlp", "labels"},
                                         Case{"gcn", "values"}, Case{"em-gcn", "relations"},
                                         Case{"em-gcn", "citations"}, Case{"em-gcn", "labels"},
                                         Case{"em-gcn-star", "molecules"},
                                         Case{"label-propagation", "relations"}),
                         test_name);

TEST_P(EnsembleOnData, JudgesGraphsByTheMeanOfItsMembers) {
  const auto judge = [&](Learner& learner, double share, std::map<int64_t, double>& sums) {
    fit(learner);
    for (const JudgedGraph& one : learner.judge_graphs(data_->split().validation, {}))
      sums[one.lam_id] += share * (one.loss + one.score);
  };
  std::map<int64_t, double> want, got;
  for (const auto& member : make_members(GetParam().method, data_))
    judge(*member, 1.0 / kMembers, want);
  judge(*ensemble(), 1.0, got);
  ASSERT_EQ(got.size(), want.size());
  EXPECT_EQ(want.empty(), !GetParam().method.starts_with("em-"));
  for (const auto& [graph, sum] : want) EXPECT_NEAR(got.at(graph), sum, 1e-12 * std::abs(sum));
}

TEST(EnsembleSeed, FirstIsTheRunsOwnAndNoneIsSharedByNeighbouringRuns) {
  std::set<uint64_t> seen;
  for (uint64_t run = 0; run < 100; ++run) {
    EXPECT_EQ(member_seed(run, Stream::kEnsemble, static_cast<uint64_t>(0)), run);
    for (int64_t k = 0; k < 100; ++k)
      seen.insert(member_seed(run, Stream::kEnsemble, static_cast<uint64_t>(k)));
  }
  EXPECT_EQ(seen.size(), 100U * 100U);
}

class Follower : public FitObserver {
 public:
  void on_epoch(const EpochRecord& epoch) override { epochs.push_back(epoch); }
  std::vector<EpochRecord> epochs;
};

TEST(EnsembleLearner, EpochsAreCountedOverMembersOfWhichEachStopsByItself) {
  const DataPtr data = make_data("relations");
  auto settings = tiny_settings();
  settings["fit.epochs"] = "60";
  settings["stop.rule"] = "loss";
  settings["stop.patience"] = "2";
  settings["optim.learning_rate"] = "0.3";  // the loss jumps
  const auto config = configured("gcn", *data, settings);
  std::vector<std::shared_ptr<Learner>> members;
  for (int64_t k = 0; k < kMembers; ++k)
    members.push_back(
        config->learner({.data = data,
                         .prepared = std::make_shared<Prepared>(),
                         .seed = member_seed(kSeed, Stream::kEnsemble, static_cast<uint64_t>(k))}));
  EnsembleLearner ensemble(members, make_task(data->labels(), {}, data->split().train));
  Follower follower;
  ensemble.fit(follower);
  std::set<int64_t> lengths;
  int64_t before = 0, seen = 0;
  for (int64_t k = 0; k < kMembers; ++k) {
    const int64_t own = members[static_cast<size_t>(k)]->summary().epochs;
    for (int64_t e = 1; e <= own; ++e) {
      const EpochRecord& record = follower.epochs.at(static_cast<size_t>(seen++));
      EXPECT_EQ(record.epoch, seen);
      EXPECT_EQ(record.member, k);
      EXPECT_EQ(record.max_epochs, before + (kMembers - k) * 60);
    }
    before += own;
    lengths.insert(own);
  }
  EXPECT_EQ(static_cast<int64_t>(follower.epochs.size()), before);
  EXPECT_EQ(ensemble.summary().epochs, before);
  EXPECT_TRUE(ensemble.summary().stopped_early);
  EXPECT_GT(lengths.size(), 1U);  // otherwise the settings do not test it
}

TEST(EnsembleLearner, DistributionIsTheMixtureOfItsMembers) {
  const DataPtr data = make_data("relations");
  const auto ensemble = make_ensemble("em-gcn", data);
  fit(*ensemble);
  std::map<LambdaPoint, double> want;
  for (const auto& member : make_members("em-gcn", data)) {
    fit(*member);
    const GraphDistribution own = member->graphs().value();
    for (const WeightedPoint& point : own.points)
      want[point.lambda] += point.p / static_cast<double>(kMembers);
  }
  const GraphDistribution got = ensemble->graphs().value();
  ASSERT_EQ(got.points.size(), want.size());
  for (const WeightedPoint& point : got.points) EXPECT_NEAR(point.p, want.at(point.lambda), 1e-15);
  EXPECT_EQ(got.names.size(), 2U);
  EXPECT_EQ(got.prior.size(), 2U);
  EXPECT_FALSE(make_ensemble("gcn", data)->graphs().has_value());
}

TEST(EnsembleLearner, EachMemberHasItsOwnTables) {
  const DataPtr data = make_data("citations");
  const auto ensemble = make_ensemble("em-gcn", data);
  fit(*ensemble);
  const std::vector<FamilyTable> tables = ensemble->graph_report().tables;
  ASSERT_EQ(tables.size(), 3U);
  const auto members = make_members("em-gcn", data);
  for (size_t k = 0; k < 3; ++k) {
    fit(*members[k]);
    EXPECT_EQ(tables[k].file, fmt::format("edges-member-{}.csv", k));
    EXPECT_EQ(tables[k].csv == members[k]->graph_report().tables.front().csv, true);
  }
}

TEST(EnsembleLearner, SaysWhichMemberWasInterrupted) {
  const auto ensemble = make_ensemble("gcn", make_data("relations"));
  StopAt observer(7);
  try {
    ensemble->fit(observer);
    FAIL();
  } catch (const Interrupted& stop) {
    EXPECT_STREQ(stop.what(), "member 2 of 3: interrupted after 2 of 5 epochs");
  }
}

TEST(EnsembleLearner, RefusesTheStateOfAnotherNumberOfMembers) {
  const DataPtr data = make_data("relations");
  const auto trained = make_ensemble("gcn", data);
  fit(*trained);
  const auto members = make_members("gcn", data);
  EnsembleLearner smaller({members[0], members[1]}, members[0]->task());
  EXPECT_THROW(restore(smaller, state_of(*trained)), DataError);
  EXPECT_THROW(
      restore(*make_ensemble("gcn", data), state_of(smaller, Scope::kModel), Scope::kModel),
      DataError);
}

RunConfig small_config(const std::string& dataset, const std::string& members) {
  RunConfig config("em-gcn", dataset);
  for (const auto& [key, value] : tiny_settings())
    for (const ConfigEntry& entry : config.entries())
      if (entry.key == key) config.set(fmt::format("{}={}", key, value), "test");
  config.set("ensemble=" + members, "test");
  return config;
}

TEST(EnsembleSetting, OneIsTheMethodItself) {
  const DataPtr data = make_data("relations");
  const RunConfig config = small_config("noisy-relations", "1");
  const LearnerInput input{.data = data, .prepared = std::make_shared<Prepared>(), .seed = kSeed};
  const auto plain = config.method().learner(input), one = config.learner(input);
  fit(*plain);
  fit(*one);
  EXPECT_EQ(state_of(*one) == state_of(*plain), true);
}

TEST(EnsembleSetting, SeveralHaveTheSeedsOfTheRunAndShareWhatIsPrepared) {
  const DataPtr data = make_data("citations");
  const RunConfig config = small_config("noisy-citations", "3");
  const auto prepared = std::make_shared<Prepared>();
  prepared->candidates.emplace();  // found already: there are none
  const auto three = config.learner({.data = data, .prepared = prepared, .seed = kSeed});
  fit(*three);
  std::vector<std::shared_ptr<Learner>> members;
  for (int64_t k = 0; k < 3; ++k)
    members.push_back(config.method().learner(
        {.data = data,
         .prepared = prepared,
         .seed = member_seed(kSeed, Stream::kEnsemble, static_cast<uint64_t>(k))}));
  EnsembleLearner by_hand(members, members.front()->task());
  fit(by_hand);
  EXPECT_EQ(state_of(*three) == state_of(by_hand), true);
  const FamilyReport report = three->graph_report();
  for (const FamilyTable& table : report.tables)
    EXPECT_EQ(table.csv.find("candidate"), std::string::npos) << table.file;
}

TEST(EnsembleSetting, IsBounded) {
  EXPECT_THROW(small_config("noisy-relations", "0"), UsageError);
  EXPECT_THROW(small_config("noisy-relations", "1001"), UsageError);
  EXPECT_EQ(RunConfig("gcn", "noisy-relations").ensemble.members, 1);
}

Prediction one_row(std::vector<double> value, double graph_part) {
  const auto width = static_cast<int64_t>(value.size());
  return {.rows = {0}, .width = width, .value = std::move(value), .graph_part = {graph_part}};
}

TEST(TaskAverage, VarianceIsWithinAndBetween) {
  const DataPtr data = make_data("values");
  const auto task = make_task(data->labels(), {}, {});
  const Prediction mean =
      task->average(std::vector<Prediction>{one_row({0.0}, 1.0), one_row({4.0}, 3.0)});
  EXPECT_DOUBLE_EQ(mean.value[0], 2.0);
  EXPECT_DOUBLE_EQ(mean.graph_part[0], 3.0);  // (1 + 9) / 2 within, 4 between
}

TEST(TaskAverage, ClassesKeepProbabilitiesTooSmallForADouble) {
  const DataPtr data = make_data("relations");
  const auto task = make_task(data->labels(), {}, {});
  const Prediction mean = task->average(std::vector<Prediction>{
      one_row({0.0, -2000.0, -2000.0}, 0.25), one_row({-3000.0, -2000.0, 0.0}, 0.75)});
  EXPECT_DOUBLE_EQ(mean.value[0], -std::log(2.0));
  EXPECT_DOUBLE_EQ(mean.value[1], -2000.0);
  EXPECT_DOUBLE_EQ(mean.value[2], -std::log(2.0));
  EXPECT_DOUBLE_EQ(mean.graph_part[0], 0.5 + std::log(2.0));  // within, and between
}

}  // namespace
}  // namespace emgnn
