// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/calibrated_learner.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../methods/tiny_methods.h"
#include "../test_name.h"
#include "small_problems.h"

#include <emgnn/learn/task.h>
#include <emgnn/run/config.h>

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;

DataPtr make_data(const std::string& name) {
  if (name == "labels")
    return std::make_shared<const Data>(
        noisy_labels({.num_nodes = 100, .num_train = 30, .num_validation = 30}, 1));
  return std::make_shared<const Data>(noisy_relations({.num_items = 90,
                                                       .num_people = 40,
                                                       .num_places = 20,
                                                       .num_words = 40,
                                                       .train_per_class = 8,
                                                       .validation_per_class = 8},
                                                      1));
}

std::shared_ptr<Learner> make_plain(const DataPtr& data) {
  return configured("em-gcn", *data, tiny_settings())
      ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
}

std::shared_ptr<const Task> task_of(const DataPtr& data) {
  return make_task(data->labels(), {}, data->split().train);
}

std::shared_ptr<CalibratedLearner> make_calibrated(const DataPtr& data) {
  return std::make_shared<CalibratedLearner>(make_plain(data), task_of(data),
                                             data->split().validation);
}

class Calibrated : public testing::TestWithParam<std::string> {
 protected:
  double loss(const Prediction& prediction, const std::vector<int32_t>& rows) const {
    return task_->losses(task_->outputs_of(prediction), task_->target(rows)).front();
  }

  const DataPtr data_ = make_data(GetParam());
  const std::vector<int32_t>& rows_ = data_->split().validation;
  const std::shared_ptr<const Task> task_ = task_of(data_);
};

// Newton's method ends within 1e-6 of the best 1 / T of [1/3, 10]. There the loss is flat, or, at an
// end, falls by less than 1 for each 1 of 1 / T: barely trained networks are not sure at all.
TEST_P(Calibrated, NoOtherTemperatureMakesTheValidationLabelsLikelier) {
  const auto plain = make_plain(data_);
  const auto calibrated = make_calibrated(data_);
  fit(*plain);
  fit(*calibrated);
  const Prediction before = plain->predict(rows_, {});
  const double reached = loss(calibrated->predict(rows_, {}), rows_);
  EXPECT_LT(reached, loss(before, rows_) - 1e-3);  // there was something to gain
  for (double t = 0.1; t <= 3.0; t *= 1.05) {
    Prediction other = before;
    task_->temper(other, t);
    EXPECT_GE(loss(other, rows_), reached - 1e-6) << t;
  }
}

TEST_P(Calibrated, TheLikeliestAnswersStay) {
  const auto plain = make_plain(data_);
  const auto calibrated = make_calibrated(data_);
  fit(*plain);
  fit(*calibrated);
  const std::vector<int32_t>& test = data_->split().test;
  const Prediction before = plain->predict(test, {}), after = calibrated->predict(test, {});
  EXPECT_NE(before.value, after.value);
  const Scores was = task_->score(before, Ranks::kSkip).scores,
               is = task_->score(after, Ranks::kSkip).scores;
  for (const char* answers : {"accuracy", "micro_f1", "macro_f1"})
    EXPECT_EQ(was.at(answers), is.at(answers)) << answers;
  EXPECT_NE(was.at("nll"), is.at("nll"));
}

TEST_P(Calibrated, StoredModelsPredictTheSame) {
  const auto first = make_calibrated(data_), second = make_calibrated(data_);
  fit(*first);
  restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
  EXPECT_EQ(first->predict(rows_, {}).value, second->predict(rows_, {}).value);
}

TEST_P(Calibrated, ResumesToTheSameBits) {
  EXPECT_GT(expect_resumable([&] { return make_calibrated(data_); }), 5);
}

INSTANTIATE_TEST_SUITE_P(Data, Calibrated, testing::Values("relations", "labels"),
                         [](const auto& info) { return as_test_name(info.param); });

TEST(CalibratedLearner, NeedsValidationLabels) {
  const DataPtr data = make_data("relations");
  CalibratedLearner none(make_plain(data), task_of(data), {});
  FitObserver quiet;
  EXPECT_THROW(none.fit(quiet), UsageError);
}

}  // namespace
}  // namespace emgnn
