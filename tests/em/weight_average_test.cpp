// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/weight_average.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace emgnn {
namespace {

std::vector<Parameter> one_parameter(double value) {
  std::vector<Parameter> parameters(1);
  parameters[0].name = "w";
  parameters[0].value = at::full({2}, value, at::kFloat);
  return parameters;
}

TEST(WeightAverage, IsTheMeanFirstAndForgetsLater) {
  std::vector<at::Tensor> average;
  double want = 0.0;
  for (int step = 0; step < 12; ++step) {
    const double value = step * step;
    update_average(average, one_parameter(value), 0.75, step);
    // up to 1/(1 − 0.75) = 4 steps: the mean of 0, 1, 4, 9; then 0.75 old + 0.25 new
    want = step < 4 ? (want * step + value) / (step + 1) : 0.75 * want + 0.25 * value;
    EXPECT_NEAR(average[0][1].item<double>(), want, 1e-4) << step;
  }
}

TEST(WeightAverage, IsInPlaceOnlyWhileAskedFor) {
  const std::vector<Parameter> parameters = one_parameter(1.0);
  {
    const WithAverage with(parameters, {at::full({2}, 3.0, at::kFloat)});
    EXPECT_EQ(parameters[0].value[0].item<float>(), 3.0F);
  }
  EXPECT_EQ(parameters[0].value[0].item<float>(), 1.0F);
  const WithAverage without(parameters, {});
  EXPECT_EQ(parameters[0].value[0].item<float>(), 1.0F);
}

}  // namespace
}  // namespace emgnn
