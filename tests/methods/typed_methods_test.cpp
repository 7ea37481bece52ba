// SPDX-License-Identifier: Apache-2.0
// The methods that know the types of nodes and edges.
#include <gtest/gtest.h>

#include "../base/with_threads.h"
#include "../learn/small_problems.h"
#include "../test_name.h"
#include "tiny_methods.h"

#include <emgnn/learn/task.h>
#include <emgnn/run/config.h>

namespace emgnn {
namespace {

std::shared_ptr<Learner> trained(const std::string& method, const Dataset& dataset,
                                 std::map<std::string, std::string> settings = {}) {
  const auto data = std::make_shared<const Data>(dataset);
  settings.insert({{"model.hidden", "24"}, {"fit.epochs", "4"}, {"stop.rule", "never"}});
  auto learner = configured(method, *data, settings)
                     ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
  fit(*learner);
  return learner;
}

class TypedMethod : public testing::TestWithParam<const char*> {};

TEST_P(TypedMethod, BitsDoNotDependOnThreads) {
  const auto run = [&] { return state_of(*trained(GetParam(), small_relations())); };
  EXPECT_EQ(with_threads(1, run) == with_threads(4, run), true);
}

TEST_P(TypedMethod, LabelsOfOtherPartsThanTheTrainingDoNotMatter) {
  const Dataset data = small_relations();
  Dataset other = data;
  for (const std::vector<int32_t>* part : {&data.split.validation, &data.split.test})
    for (int32_t v : *part) {
      int32_t& cls = other.labels.cls[static_cast<size_t>(v)];
      cls = (cls + 1) % data.labels.num_classes();
    }
  const std::vector<int32_t>& rows = data.split.test;
  EXPECT_EQ(trained(GetParam(), data)->predict(rows, {}).value,
            trained(GetParam(), other)->predict(rows, {}).value);
  // The training labels do.
  other.labels.cls[static_cast<size_t>(data.split.train[0])] += 1;
  other.labels.cls[static_cast<size_t>(data.split.train[0])] %= data.labels.num_classes();
  EXPECT_NE(trained(GetParam(), data)->predict(rows, {}).value,
            trained(GetParam(), other)->predict(rows, {}).value);
}

TEST_P(TypedMethod, RowsThatAreAskedForTogetherDoNotMatter) {
  const Dataset data = small_relations();
  const auto learner = trained(GetParam(), data);
  const std::vector<int32_t> all = data.split.test, few = {all[7], all[2]};
  const std::vector<double> of_all = learner->predict(all, {}).value,
                            of_few = learner->predict(few, {}).value;
  const auto classes = static_cast<size_t>(data.labels.num_classes());
  // Products of at most 192 numbers in three layers may be summed in another order: 576 roundings of
  // either sign, which add up like their root, 24. Four times that.
  constexpr double kClose = 96 * 0x1.0p-24;
  for (size_t c = 0; c < classes; ++c) {
    EXPECT_NEAR(of_few[c], of_all[7 * classes + c], kClose);
    EXPECT_NEAR(of_few[classes + c], of_all[2 * classes + c], kClose);
  }
}

// With the shipped settings.
TEST_P(TypedMethod, LearnsMoreThanTheFeaturesSay) {
  const auto data = std::make_shared<const Data>(noisy_relations({}, 3));
  const auto score = [&](const std::string& method) {
    const RunConfig config(method, "noisy-relations");
    const auto learner = config.method().learner(
        {.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
    fit(*learner);
    const std::vector<int32_t>& rows = data->split().test;
    return learner->task()->score(learner->predict(rows, {}), Ranks::kSkip).scores.at("accuracy");
  };
  EXPECT_GT(score(GetParam()), score("mlp") + 0.05);
}

INSTANTIATE_TEST_SUITE_P(Methods, TypedMethod, testing::Values("gtn", "simple-hgn", "sehgnn"),
                         [](const auto& info) { return as_test_name(info.param); });

TEST(Sehgnn, TrainsOnAPartOfTheRowsAtATime) {
  const auto steps = [&](const char* batch) {
    return trained("sehgnn", small_relations(), {{"optim.batch", batch}});
  };
  EXPECT_NE(state_of(*steps("7")), state_of(*steps("1000")));
  // Any batch that holds all rows is the same one.
  EXPECT_EQ(state_of(*steps("500")) == state_of(*steps("1000")), true);
}

TEST(Sehgnn, PathsThatAreTooManyAreRefused) {
  EXPECT_THROW(trained("sehgnn", small_relations(), {{"model.feature_hops", "16"}}), UsageError);
}

}  // namespace
}  // namespace emgnn
