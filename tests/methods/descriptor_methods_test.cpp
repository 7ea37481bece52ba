// SPDX-License-Identifier: Apache-2.0
// rf and ridge, and networks with model.descriptors.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../base/with_threads.h"
#include "../learn/small_problems.h"
#include "tiny_methods.h"

#include <emgnn/learn/task.h>

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;
constexpr int32_t kMolecules = 120, kTrain = 80;

// What there is to learn is in two descriptors and one bit.
double truth(const Molecules& m, int32_t i) {
  const auto x = m.descriptors_of(i);
  double bits = 0.0;
  for (auto e = static_cast<size_t>(m.bit_begin[static_cast<size_t>(i)]);
       e < static_cast<size_t>(m.bit_begin[static_cast<size_t>(i) + 1]); ++e)
    if (m.bit[e] < 100) bits += m.bit_count[e];
  return 100.0 + 2.0 * x[2] - x[5] + 5.0 * bits;
}

DataPtr table(LabelKind kind, const std::vector<int32_t>& hidden = {}, bool no_train = false) {
  MoleculeTable out;
  out.name = "molecules";
  out.molecules = random_molecules(kMolecules, 1, 3);
  out.labels = {.kind = kind, .num_rows = kMolecules, .names = {"a", "b"}};
  Split split;
  for (int32_t i = 0; i < kMolecules; ++i) {
    out.row.push_back(i + 1);
    const double y = truth(out.molecules, i);
    const bool is_hidden = std::find(hidden.begin(), hidden.end(), i) != hidden.end();
    const double first = is_hidden ? -1e6 : y;
    switch (kind) {
      case LabelKind::kClasses:
        out.labels.cls.push_back(first > 105.0 ? 1 : 0);
        break;
      case LabelKind::kLabels:
        out.labels.value.push_back(first > 105.0 ? 1.0 : 0.0);
        break;
      default:
        out.labels.value.push_back(first);
    }
    // The second target is known for two molecules in three.
    if (kind == LabelKind::kLabels || kind == LabelKind::kValues) {
      const double second = kind == LabelKind::kLabels ? (first < 95.0 ? 1.0 : 0.0) : -0.01 * first;
      out.labels.value.push_back(i % 3 == 1 ? std::numeric_limits<double>::quiet_NaN() : second);
    }
    if (no_train) continue;
    (i < kTrain ? split.train : i < 100 ? split.validation : split.test).push_back(i);
  }
  return std::make_shared<const Data>(std::make_shared<const MoleculeTable>(std::move(out)),
                                      std::move(split));
}

std::shared_ptr<Learner> learner(const std::string& method, const DataPtr& data,
                                 std::map<std::string, std::string> settings = {}) {
  settings.insert({"model.trees", "60"});
  return configured(method, *data, settings)
      ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
}

Prediction trained(const std::string& method, const DataPtr& data) {
  const auto one = learner(method, data);
  fit(*one);
  return one->predict(data->predicted_rows(), {});
}

struct Case {
  std::string method;
  LabelKind kind;
};

class DescriptorMethod : public testing::TestWithParam<Case> {};

TEST_P(DescriptorMethod, LearnsFromDescriptorsAndBits) {
  const auto& [method, kind] = GetParam();
  const DataPtr data = table(kind);
  const auto one = learner(method, data);
  fit(*one);
  const std::vector<int32_t>& test = data->split().test;
  const Prediction p = one->predict(test, {});
  const Scores scores = one->task()->score(p, Ranks::kCompute).scores;
  if (kind == LabelKind::kValues) {
    EXPECT_GT(scores.at("r2"), method == "ridge" ? 0.5 : 0.3);
  } else {
    EXPECT_GT(scores.at("roc_auc"), 0.75);
    EXPECT_LT(scores.at("nll"), std::log(2.0));
  }
}

TEST_P(DescriptorMethod, BitsDoNotDependOnThreads) {
  const DataPtr data = table(GetParam().kind);
  const auto run = [&](int threads) {
    return with_threads(threads, [&] {
      const auto one = learner(GetParam().method, data);
      fit(*one);
      return std::pair(state_of(*one), one->predict(data->predicted_rows(), {}).value);
    });
  };
  const auto one = run(1);
  EXPECT_TRUE(run(3) == one);
}

TEST_P(DescriptorMethod, ReadsNoLabelOutsideTheTrainingSet) {
  std::vector<int32_t> others(static_cast<size_t>(kMolecules - kTrain));
  std::iota(others.begin(), others.end(), kTrain);
  EXPECT_EQ(trained(GetParam().method, table(GetParam().kind, others)).value,
            trained(GetParam().method, table(GetParam().kind)).value);
}

// As `predict` does on another table: no training rows, so that all scales come from the model.
TEST_P(DescriptorMethod, StoredModelPredictsTheSameWithoutTrainingRows) {
  const DataPtr data = table(GetParam().kind);
  const auto one = learner(GetParam().method, data);
  fit(*one);
  const Prediction want = one->predict(data->predicted_rows(), {});
  const auto other = learner(GetParam().method, table(GetParam().kind, {}, true));
  restore(*other, state_of(*one, Scope::kModel), Scope::kModel);
  const Prediction got = other->predict(data->predicted_rows(), {});
  EXPECT_EQ(got.value, want.value);
  EXPECT_EQ(got.graph_part, want.graph_part);
}

TEST_P(DescriptorMethod, CanBeInterruptedAnywhereAndResumed) {
  const Context::Scope alone{Context(1)};  // so that the number of chances is always the same
  const DataPtr data = table(GetParam().kind);
  const auto make = [&] { return learner(GetParam().method, data, {{"model.trees", "5"}}); };
  StopAt never(-1);
  const auto whole = make();
  whole->fit(never);
  const std::string want = state_of(*whole);
  ASSERT_GT(never.asked(), 20);
  for (int chance = 0; chance < never.asked(); chance += 1 + never.asked() / 15) {
    StopAt observer(chance);
    EXPECT_TRUE(interrupted(*make(), observer)) << chance;
    const auto second = make();
    ASSERT_FALSE(observer.state.empty());
    restore(*second, observer.state);
    fit(*second);
    EXPECT_TRUE(state_of(*second) == want) << chance;
  }
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const char* method : {"rf", "ridge"})
    for (LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues})
      out.push_back({method, kind});
  return out;
}
INSTANTIATE_TEST_SUITE_P(All, DescriptorMethod, testing::ValuesIn(cases()), [](const auto& info) {
  return info.param.method + "_" + name_of(info.param.kind);
});

// The trees one by one, from what the model stores of them.
TEST(RandomForest, PredictsTheMeanOverTreesAndTheirSpread) {
  const DataPtr data = table(LabelKind::kValues);
  std::vector<std::vector<double>> each;
  // Tree k of a forest is the same however many follow it.
  std::vector<double> before(2 * kMolecules);
  for (int trees = 1; trees <= 6; ++trees) {
    const auto one = learner("rf", data, {{"model.trees", std::to_string(trees)}});
    fit(*one);
    const std::vector<double> mean = one->predict(data->predicted_rows(), {}).value;
    each.emplace_back();
    for (size_t i = 0; i < mean.size(); ++i) {
      each.back().push_back(mean[i] * trees - before[i]);
      before[i] = mean[i] * trees;
    }
  }
  const auto one = learner("rf", data, {{"model.trees", "6"}});
  fit(*one);
  const Prediction p = one->predict(data->predicted_rows(), {});
  for (size_t i = 0; i < p.value.size(); ++i) {
    double square = 0.0;
    for (const std::vector<double>& tree : each)
      square += (tree[i] - p.value[i]) * (tree[i] - p.value[i]) / 6.0;
    EXPECT_NEAR(p.graph_part[i], std::sqrt(square), 1e-6 * (1.0 + std::abs(p.value[i])));
  }
}

TEST(RandomForest, DamagedTreesAreRefused) {
  const DataPtr data = table(LabelKind::kValues);
  const auto one = learner("rf", data, {{"model.trees", "2"}});
  fit(*one);
  StateWriter writer(Scope::kModel);
  one->visit_state(writer);
  const auto refuses = [&](const std::string& name, size_t at, int64_t value) {
    TensorArchive archive = writer.archive;
    std::vector<int64_t> numbers = archive.tensors.at(name).values<int64_t>();
    numbers.at(at) = value;
    archive.tensors[name] =
        TensorData::from<int64_t>(numbers, {static_cast<int64_t>(numbers.size())});
    StateReader reader(archive, "model", Scope::kModel);
    EXPECT_THROW(learner("rf", data)->visit_state(reader), DataError) << name;
  };
  refuses("forest/right", 0, 0);  // a circle
  refuses("forest/right", 0, 1'000'000);
  refuses("forest/column", 0, 5000);
  refuses("forest/nodes", 0, 1);
  refuses("forest/leaves", 1, -3);
  refuses("forest/nodes", 1, int64_t{1} << 62);
}

TEST(RandomForest, MoleculesWithoutDescriptorsAreRefused) {
  MoleculeTable bare = *table(LabelKind::kValues)->table();
  bare.molecules.descriptors.clear();
  const auto data =
      std::make_shared<const Data>(std::make_shared<const MoleculeTable>(bare), Split{});
  EXPECT_THROW(learner("rf", data), UsageError);
}

TEST(Ridge, LogitsOfClassesAreAtTheTemperatureOfRowsLeftOut) {
  const DataPtr data = table(LabelKind::kClasses);
  const Prediction p = trained("ridge", data);
  // Sure of some, and never absurdly: the temperature is at least a tenth, logits about ±5.
  const double most = *std::max_element(p.value.begin(), p.value.end());
  EXPECT_GT(most, std::log(0.6));
  for (double spread : p.graph_part) EXPECT_NEAR(spread, 0.0, 1e-12);
}

// A network with descriptors on a table without training rows takes their scale from the model.
TEST(NetworksWithDescriptors, StoredModelPredictsTheSameOnAnotherTable) {
  for (const char* method : {"gcn-star", "em-gcn-star", "gcn", "em-gcn", "em-gat", "em-gin"}) {
    const DataPtr data = table(LabelKind::kValues);
    std::map<std::string, std::string> settings = tiny_settings();
    settings["model.descriptors"] = "true";
    settings["optim.average"] = "0.5";
    const auto make = [&](const DataPtr& on) {
      return configured(method, *on, settings)
          ->learner({.data = on, .prepared = std::make_shared<Prepared>(), .seed = 5});
    };
    const auto one = make(data);
    fit(*one);
    const Prediction want = one->predict(data->predicted_rows(), {});
    for (double v : want.value) ASSERT_TRUE(std::isfinite(v)) << method;
    const auto other = make(table(LabelKind::kValues, {}, true));
    restore(*other, state_of(*one, Scope::kModel), Scope::kModel);
    EXPECT_EQ(other->predict(data->predicted_rows(), {}).value, want.value) << method;
    // They matter.
    settings["model.descriptors"] = "false";
    const auto without = make(data);
    fit(*without);
    EXPECT_NE(without->predict(data->predicted_rows(), {}).value, want.value) << method;
    EXPECT_EQ(state_of(*without).find("descriptors"), std::string::npos);
  }
}

}  // namespace
}  // namespace emgnn
