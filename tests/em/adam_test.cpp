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

}  // namespace
}  // namespace emgnn
