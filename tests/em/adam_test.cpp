// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/adam.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace emgnn {
namespace {

// How far one parameter goes in its first step, which is the learning rate against any gradient.
double first_step(Schedule schedule, double share) {
  const std::vector<Parameter> parameters = {{"w", at::zeros({1}).set_requires_grad(true), 0}};
  Adam adam(parameters, {.learning_rate = 0.1, .schedule = schedule, .weight_decay = 0.0});
  parameters[0].value.mutable_grad() = at::full({1}, 3.0);
  adam.step(share);
  return -parameters[0].value.item<double>();
}

TEST(Adam, LearningRateFollowsItsScheduleOverTheRun) {
  for (double share : {0.0, 0.5, 1.0})
    EXPECT_NEAR(first_step(Schedule::kConstant, share), 0.1, 1e-6);
  EXPECT_NEAR(first_step(Schedule::kCosine, 0.0), 0.1, 1e-6);
  EXPECT_NEAR(first_step(Schedule::kCosine, 0.5), 0.05, 1e-6);
  EXPECT_NEAR(first_step(Schedule::kCosine, 1.0), 0.0, 1e-6);
}

TEST(Adam, DecoupledDecayShrinksAllParametersBesideTheGradient) {
  const std::vector<Parameter> parameters = {{"w", at::full({1}, 2.0).set_requires_grad(true), 1}};
  Adam adam(parameters, {.learning_rate = 0.1, .weight_decay = 0.5, .decay = Decay::kDecoupled});
  parameters[0].value.mutable_grad() = at::full({1}, 3.0);
  adam.step();
  // θ ← (1 − 0.1·0.5) θ, then a step of the learning rate.
  EXPECT_NEAR(parameters[0].value.item<double>(), 2.0 * 0.95 - 0.1, 1e-6);
  EXPECT_NEAR(adam.first_moment[0].item<double>(), 0.1 * 3.0, 1e-6);
}

TEST(Adam, LongGradientsAreScaledDownTogether) {
  const std::vector<Parameter> parameters = {{"w", at::zeros({1}).set_requires_grad(true), 0},
                                             {"v", at::zeros({1}).set_requires_grad(true), 1}};
  for (const auto& [clip, factor] : {std::pair{0.0, 1.0}, {1.0, 0.2}, {10.0, 1.0}}) {
    Adam adam(parameters, {.weight_decay = 0.0, .clip = clip});
    parameters[0].value.mutable_grad() = at::full({1}, 3.0);
    parameters[1].value.mutable_grad() = at::full({1}, 4.0);
    adam.step();
    EXPECT_NEAR(adam.first_moment[0].item<double>(), 0.1 * factor * 3.0, 1e-6) << clip;
    EXPECT_NEAR(adam.first_moment[1].item<double>(), 0.1 * factor * 4.0, 1e-6) << clip;
  }
}

}  // namespace
}  // namespace emgnn
