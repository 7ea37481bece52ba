// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/adam.h>

#include <gtest/gtest.h>

#include "bare_network.h"

namespace emgnn {
namespace {

// Parameter i holds `values[i]` and belongs to layer i.
std::shared_ptr<BareNetwork> network_of(std::initializer_list<double> values) {
  auto network = std::make_shared<BareNetwork>();
  const char* names[] = {"first", "second"};
  int layer = 0;
  for (double value : values) {
    network->add_parameter(names[layer], at::full({1}, value, at::kFloat), layer);
    ++layer;
  }
  return network;
}

void set_gradient(const Network& network, size_t i, double value) {
  network.parameters()[i].value.mutable_grad() = at::full({1}, value, at::kFloat);
}

double value_of(const Network& network, size_t i) {
  return network.parameters()[i].value.item<double>();
}

// How far one parameter goes in its first step, which is the learning rate against any gradient.
double first_step(Schedule schedule, double share) {
  const auto network = network_of({0.0});
  Adam adam(network, {.learning_rate = 0.1, .schedule = schedule, .weight_decay = 0.0});
  set_gradient(*network, 0, 3.0);
  adam.step(share);
  return -value_of(*network, 0);
}

TEST(Adam, LearningRateFollowsItsScheduleOverTheRun) {
  for (double share : {0.0, 0.5, 1.0})
    EXPECT_NEAR(first_step(Schedule::kConstant, share), 0.1, 1e-6);
  EXPECT_NEAR(first_step(Schedule::kCosine, 0.0), 0.1, 1e-6);
  EXPECT_NEAR(first_step(Schedule::kCosine, 0.5), 0.05, 1e-6);
  EXPECT_NEAR(first_step(Schedule::kCosine, 1.0), 0.0, 1e-6);
}

TEST(Adam, DecoupledDecayShrinksAllParametersBesideTheGradient) {
  const auto network = network_of({1.0, 2.0});
  Adam adam(network, {.learning_rate = 0.1, .weight_decay = 0.5, .decay = Decay::kDecoupled});
  set_gradient(*network, 1, 3.0);
  adam.step();
  // θ ← (1 − 0.1·0.5) θ, then a step of the learning rate.
  EXPECT_NEAR(value_of(*network, 1), 2.0 * 0.95 - 0.1, 1e-6);
  EXPECT_NEAR(adam.first_moment[1].item<double>(), 0.1 * 3.0, 1e-6);
}

TEST(Adam, PenaltyIsAddedToTheGradientsOfAllLayersOrOfTheFirst) {
  for (const auto& [decay, second] :
       {std::pair{Decay::kAll, 3.0 + 0.5 * 2.0}, std::pair{Decay::kFirstLayer, 3.0}}) {
    const auto network = network_of({1.0, 2.0});
    Adam adam(network, {.learning_rate = 0.1, .weight_decay = 0.5, .decay = decay});
    set_gradient(*network, 0, 3.0);
    set_gradient(*network, 1, 3.0);
    adam.step();
    EXPECT_NEAR(adam.first_moment[0].item<double>(), 0.1 * (3.0 + 0.5 * 1.0), 1e-6);
    EXPECT_NEAR(adam.first_moment[1].item<double>(), 0.1 * second, 1e-6);
  }
}

TEST(Adam, LongGradientsAreScaledDownTogether) {
  for (const auto& [clip, factor] : {std::pair{0.0, 1.0}, {1.0, 0.2}, {10.0, 1.0}}) {
    const auto network = network_of({0.0, 0.0});
    Adam adam(network, {.weight_decay = 0.0, .clip = clip});
    set_gradient(*network, 0, 3.0);
    set_gradient(*network, 1, 4.0);
    adam.step();
    EXPECT_NEAR(adam.first_moment[0].item<double>(), 0.1 * factor * 3.0, 1e-6) << clip;
    EXPECT_NEAR(adam.first_moment[1].item<double>(), 0.1 * factor * 4.0, 1e-6) << clip;
  }
}

TEST(Adam, ParameterWithoutAGradientStaysAndGradientsAreCleared) {
  const auto network = network_of({1.0, 2.0});
  Adam adam(network, {.learning_rate = 0.1, .weight_decay = 0.5});
  set_gradient(*network, 1, 3.0);
  adam.step();
  EXPECT_EQ(value_of(*network, 0), 1.0);
  EXPECT_EQ(adam.first_moment[0].item<double>(), 0.0);
  EXPECT_FALSE(network->parameters()[1].value.grad().defined());
  EXPECT_EQ(adam.num_updates, 1);
}

}  // namespace
}  // namespace emgnn
