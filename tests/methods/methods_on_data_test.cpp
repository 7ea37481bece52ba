// SPDX-License-Identifier: Apache-2.0
// Every method on every kind of data that it is for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "../learn/small_problems.h"
#include "../test_name.h"
#include "tiny_methods.h"

#include <emgnn/learn/task.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/config.h>

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;

DataPtr nodes(Dataset dataset) { return std::make_shared<const Data>(std::move(dataset)); }

// Twenty-four made-up molecules, of which some are not for training.
DataPtr molecules(LabelKind kind) {
  const DataPtr values = random_molecule_data(24, 2);
  MoleculeTable table = *values->table();
  table.labels.kind = kind;
  Split split;
  for (int32_t m = 0; m < 24; ++m) {
    double& y = table.labels.value[static_cast<size_t>(m)];
    if (kind == LabelKind::kLabels) y = y > -0.3 ? 1.0 : 0.0;
    if (kind == LabelKind::kClasses) table.labels.cls.push_back(m % 3);
    (m < 14 ? split.train : m < 19 ? split.validation : split.test).push_back(m);
  }
  if (kind == LabelKind::kClasses) {
    table.labels.names = {"a", "b", "c"};
    table.labels.value.clear();
  }
  return std::make_shared<const Data>(std::make_shared<const MoleculeTable>(std::move(table)),
                                      std::move(split));
}

struct NamedData {
  const char* name;
  std::function<DataPtr()> make;
};

const std::vector<NamedData>& all_data() {
  static const std::vector<NamedData> all = {
      {"relations",
       [] {
         return nodes(noisy_relations({.num_items = 90,
                                       .num_people = 40,
                                       .num_places = 20,
                                       .num_words = 40,
                                       .train_per_class = 8,
                                       .validation_per_class = 8},
                                      1));
       }},
      {"citations",
       [] {
         return nodes(noisy_citations({.num_nodes = 120,
                                       .num_classes = 3,
                                       .num_words = 50,
                                       .train_per_class = 8,
                                       .validation_per_class = 8},
                                      1));
       }},
      {"labels",
       [] {
         return nodes(noisy_labels({.num_nodes = 100, .num_train = 30, .num_validation = 30}, 1));
       }},
      {"values",
       [] {
         return nodes(noisy_values({.num_nodes = 100, .num_train = 30, .num_validation = 30}, 1));
       }},
      {"molecule_values", [] { return molecules(LabelKind::kValues); }},
      {"molecule_labels", [] { return molecules(LabelKind::kLabels); }},
      {"molecule_classes", [] { return molecules(LabelKind::kClasses); }}};
  return all;
}

struct Case {
  std::string method, data;
  size_t index = 0;  // of the data
};

bool needs_classes(const std::string& method) {
  return method == "label-propagation" || method == "bgcn" || method == "rsgnn";
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const MethodInfo& method : methods()) {
    for (size_t i = 0; i < all_data().size(); ++i) {
      const std::string data = all_data()[i].name;
      const bool is_molecules = data.rfind("molecule", 0) == 0;
      const bool values = data == "labels" || data == "values";
      if (needs_classes(method.name) && values) continue;  // refused: see below
      if (method.fits(is_molecules ? DataKind::kMolecules : DataKind::kGraph))
        cases.push_back({method.name, data, i});
    }
  }
  return cases;
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  return as_test_name(info.param.method + "_on_" + info.param.data);
}

class MethodOnData : public testing::TestWithParam<Case> {
 protected:
  std::shared_ptr<Learner> learner() const { return tiny_learner(GetParam().method, data_); }
  Prediction predict(Learner& learner) const {
    return learner.predict(data_->predicted_rows(), {});
  }

  const DataPtr data_ = all_data()[GetParam().index].make();
};

TEST_P(MethodOnData, FitsAndPredictsEveryRowWithFiniteScores) {
  const auto one = learner();
  fit(*one);
  EXPECT_GT(one->summary().epochs, 0);
  const Prediction p = predict(*one);
  const std::shared_ptr<const Task> own = one->task();
  const std::shared_ptr<const Task> task = own ? own : make_task(data_->labels(), {}, {});
  EXPECT_EQ(p.rows, data_->predicted_rows());
  EXPECT_EQ(p.width, task->num_outputs());
  EXPECT_EQ(p.value.size(), p.rows.size() * static_cast<size_t>(p.width));
  const bool classes = task->kind() == LabelKind::kClasses;
  EXPECT_EQ(p.graph_part.size(), classes ? p.rows.size() : p.value.size());
  const bool values = task->kind() == LabelKind::kValues;
  EXPECT_EQ(p.votes.size(), values ? 0 : p.value.size());
  for (double v : p.value) EXPECT_TRUE(std::isfinite(v));
  for (double s : p.graph_part) EXPECT_GE(s, 0.0);
  if (!values) {
    EXPECT_EQ(p.noise.size(), p.graph_part.size());
  }
  for (double s : p.noise) EXPECT_GE(s, 0.0);
  const std::vector<int32_t>& test = data_->split().test;
  const PartScores scores = task->score(one->predict(test, {}), Ranks::kCompute);
  EXPECT_TRUE(std::isfinite(scores.loss));
  EXPECT_EQ(scores.scores.all().size(), task->training_scores().size());
  for (const Score& score : scores.scores.all())
    EXPECT_TRUE(std::isfinite(score.value)) << score.name;
}

// Any network has a second output for each target where the loss asks for a variance.
TEST_P(MethodOnData, PredictsAVarianceOfValues) {
  if (data_->labels().kind != LabelKind::kValues) GTEST_SKIP() << "no values";
  if (GetParam().method == "rf" || GetParam().method == "ridge") GTEST_SKIP() << "no network";
  std::map<std::string, std::string> settings = tiny_settings();
  settings["task.loss"] = "gaussian";
  const auto make = [&] {
    return configured(GetParam().method, *data_, settings)
        ->learner({.data = data_, .prepared = std::make_shared<Prepared>(), .seed = 5});
  };
  const auto one = make(), other = make();
  fit(*one);
  const Prediction p = predict(*one);
  EXPECT_EQ(p.width, data_->labels().num_names());
  ASSERT_EQ(p.std.size(), p.value.size());
  for (size_t i = 0; i < p.std.size(); ++i) {
    EXPECT_GT(p.noise[i], 0.0);
    EXPECT_NEAR(p.std[i], std::hypot(p.noise[i], p.graph_part[i]), 1e-12 * p.std[i]);
  }
  const auto [least, most] = std::minmax_element(p.noise.begin(), p.noise.end());
  EXPECT_LT(*least, *most);
  restore(*other, state_of(*one, Scope::kModel), Scope::kModel);
  EXPECT_EQ(predict(*other).std, p.std);
}

TEST_P(MethodOnData, StoredModelPredictsTheSameBits) {
  const auto trained = learner();
  fit(*trained);
  const Prediction want = predict(*trained);
  const auto other = learner();
  restore(*other, state_of(*trained, Scope::kModel), Scope::kModel);
  const Prediction got = predict(*other);
  EXPECT_EQ(got.value, want.value);
  EXPECT_EQ(got.graph_part, want.graph_part);
}

TEST_P(MethodOnData, InterruptedTrainingGoesOnToTheSameBits) {
  const auto whole = learner();
  fit(*whole);
  StopAt observer(3);
  EXPECT_TRUE(interrupted(*learner(), observer));
  const auto second = learner();
  if (!observer.state.empty()) restore(*second, observer.state);
  fit(*second);
  EXPECT_EQ(state_of(*second) == state_of(*whole), true);
  EXPECT_EQ(predict(*second).value, predict(*whole).value);
}

TEST_P(MethodOnData, EveryCheckpointLeadsToTheSameBits) {
  EXPECT_GE(expect_same_from_every_checkpoint([&] { return learner(); }, 6), 2U);
}

TEST_P(MethodOnData, DistributionOverGraphsIsThereForEmAndBgcn) {
  const auto one = learner();
  fit(*one);
  const std::optional<GraphDistribution> graphs = one->graphs();
  const std::string& method = GetParam().method;
  ASSERT_EQ(graphs.has_value(), method_info(method).em || method == "bgcn");
  if (!graphs) return;
  double total = 0.0;
  for (const WeightedPoint& point : graphs->points) total += point.p;
  EXPECT_NEAR(total, 1.0, 1e-12);
  EXPECT_EQ(graphs->prior.size(), graphs->names.size());
}

TEST_P(MethodOnData, LastLayerJudgesGraphsOrIsRefused) {
  const std::string& method = GetParam().method;
  if (!method_info(method).em) return;
  std::map<std::string, std::string> settings = tiny_settings();
  settings["em.evidence"] = "last-layer";
  settings["em.temperature"] = "each";
  settings["em.posterior"] = "stack";
  const auto make = [&] {
    return configured(method, *data_, settings)
        ->learner({.data = data_, .prepared = std::make_shared<Prepared>(), .seed = 5});
  };
  if (method == "em-acm" || method == "em-sgc") {
    EXPECT_THROW(make(), UsageError);
    return;
  }
  const auto one = make();
  fit(*one);
  const GraphDistribution graphs = one->graphs().value();
  double least = 1.0, most = 0.0;
  for (const WeightedPoint& point : graphs.points) {
    least = std::min(least, point.p);
    most = std::max(most, point.p);
  }
  EXPECT_GT(most, 1.001 * least);
  for (double v : predict(*one).value) EXPECT_TRUE(std::isfinite(v));
}

INSTANTIATE_TEST_SUITE_P(All, MethodOnData, testing::ValuesIn(all_cases()), test_name);

TEST(MethodsOfClasses, RefuseLabelsAndValues) {
  for (const MethodInfo& method : methods()) {
    for (size_t i : {size_t{2}, size_t{3}}) {
      if (!needs_classes(method.name)) continue;
      const DataPtr data = all_data()[i].make();
      try {
        tiny_learner(method.name, data);
        FAIL() << method.name << " on " << all_data()[i].name;
      } catch (const UsageError& error) {
        EXPECT_EQ(std::string(error.what()), method.name + " is for one class per node (got " +
                                                 name_of(data->labels().kind) + ")");
      }
    }
  }
}

double test_score(Learner& learner, const Data& data) {
  const std::vector<int32_t>& rows = data.split().test;
  return learner.task()->score(learner.predict(rows, {}), Ranks::kSkip).scores.at("accuracy");
}

// With the shipped settings.
// Sums over neighbours cannot be read out of shares.
TEST(SharesOfViews, AreRefusedByNetworksThatAddUpNeighbours) {
  const DataPtr data = all_data().front().make();
  const auto make = [&](const std::string& method, const std::string& setting) {
    RunConfig config(method, "noisy-relations");
    config.set(setting, "test");
    config.learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 0});
  };
  for (const char* method : {"gin", "em-gin", "acm-gcn+", "em-acm"}) {
    EXPECT_THROW(make(method, "space.mixing=shares"), UsageError) << method;
    EXPECT_NO_THROW(make(method, "space.mixing=degree")) << method;
  }
  EXPECT_THROW(make("gin", "space.mixing=learned"), UsageError);
  EXPECT_NO_THROW(make("em-gcn", "space.mixing=shares"));
}

TEST(EmGcnMethod, LearnsWhichRelationIsInformative) {
  const DataPtr data = nodes(noisy_relations({}, 3));
  const auto train = [&](const std::string& method) {
    const RunConfig config(method, "noisy-relations");
    auto learner = config.method().learner(
        {.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
    fit(*learner);
    return learner;
  };
  const auto em = train("em-gcn"), gcn = train("gcn");
  const GraphDistribution graphs = em->graphs().value();
  std::vector<double> mean(2);
  for (const WeightedPoint& point : graphs.points)
    for (size_t c = 0; c < 2; ++c) mean[c] += point.p * point.lambda[c];
  EXPECT_GT(*std::max_element(mean.begin(), mean.end()), 0.7);
  EXPECT_GT(test_score(*em, *data), test_score(*gcn, *data) + 0.03);
}

}  // namespace
}  // namespace emgnn
