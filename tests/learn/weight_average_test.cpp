// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/weight_average.h>

#include <gtest/gtest.h>

#include "bare_network.h"

namespace emgnn {
namespace {

class OneOfEach : public BareNetwork {
 public:
  explicit OneOfEach(double value) {
    add_parameter("w", at::full({2}, value, at::kFloat), 0);
    add_buffer("b", at::full({1}, value, at::kFloat));
  }
};

TEST(WeightAverage, IsTheMeanFirstAndForgetsLater) {
  std::vector<at::Tensor> average;
  double want = 0.0;
  for (int step = 0; step < 12; ++step) {
    const double value = step * step;
    update_average(average, OneOfEach(value), 0.75, step);
    // up to 1/(1 − 0.75) = 4 steps: the mean of 0, 1, 4, 9; then 0.75 old + 0.25 new
    want = step < 4 ? (want * step + value) / (step + 1) : 0.75 * want + 0.25 * value;
    EXPECT_NEAR(average[0][1].item<double>(), want, 1e-4) << step;
    EXPECT_NEAR(average[1][0].item<double>(), want, 1e-4) << step;
  }
}

TEST(WeightAverage, IsInPlaceOnlyWhileAskedFor) {
  const OneOfEach network(1.0);
  const auto expect = [&](float value) {
    EXPECT_EQ(network.parameters()[0].value[0].item<float>(), value);
    EXPECT_EQ(network.buffers()[0].value[0].item<float>(), value);
  };
  {
    const WithAverage with(network, values_of(OneOfEach(3.0)));
    expect(3.0F);
  }
  expect(1.0F);
  const WithAverage without(network, {});
  expect(1.0F);
}

}  // namespace
}  // namespace emgnn
