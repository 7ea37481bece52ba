// SPDX-License-Identifier: Apache-2.0
// Compares a gradient with central differences.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>

#include <emgnn/base/rng.h>
#include <emgnn/models/network.h>

namespace emgnn {

constexpr double kUnitRounding = 0x1.0p-24;  // of float32: what one operation is off by at most

inline at::Tensor random_tensor(std::vector<int64_t> shape, uint64_t step, double low = -1.0,
                                double high = 1.0) {
  Rng rng(99, Stream::kTest, step);
  at::Tensor t = at::empty(shape, at::kFloat);
  for (int64_t i = 0; i < t.numel(); ++i)
    t.data_ptr<float>()[i] = static_cast<float>(rng.uniform(low, high));
  return t;
}

// f: float32 tensor -> float32 tensor. The scalar is Σ f(x)·r for a fixed random r. `h` is the
// half-width of the difference: for a linear f any width is exact up to float32 rounding
// ε·|scalar|/h, which sets the tolerance.
inline void expect_gradient_matches(const std::function<at::Tensor(const at::Tensor&)>& f,
                                    const at::Tensor& x0, double h, double tolerance) {
  at::Tensor x = x0.clone().set_requires_grad(true);
  const at::Tensor y = f(x);
  const at::Tensor r = random_tensor(y.sizes().vec(), 1234).to(at::kDouble);
  const auto scalar = [&](const at::Tensor& value) { return (f(value).to(at::kDouble) * r).sum(); };
  scalar(x).backward();
  const at::Tensor gradient = x.grad();
  ASSERT_TRUE(gradient.defined());
  const at::NoGradGuard no_grad;
  for (int64_t i = 0; i < x0.numel(); ++i) {
    at::Tensor up = x0.clone(), down = x0.clone();
    up.view(-1)[i] += h;
    down.view(-1)[i] -= h;
    const double difference = (scalar(up) - scalar(down)).item<double>() / (2.0 * h);
    EXPECT_NEAR(gradient.view(-1)[i].item<double>(), difference, tolerance) << "element " << i;
  }
}

// The same for every parameter of a network, in place. `output` runs the network; the tolerance
// is a part of the parameter's largest derivative.
inline void expect_parameter_gradients_match(const Network& network,
                                             const std::function<at::Tensor()>& output, double h,
                                             double tolerance) {
  const at::Tensor r = random_tensor(output().sizes().vec(), 1234).to(at::kDouble);
  const auto scalar = [&] { return (output().to(at::kDouble) * r).sum(); };
  scalar().backward();
  const at::NoGradGuard no_grad;
  for (const Parameter& parameter : network.parameters()) {
    ASSERT_TRUE(parameter.value.grad().defined()) << parameter.name;
    const at::Tensor gradient = parameter.value.grad().view(-1), value = parameter.value.view(-1);
    const double largest = gradient.abs().max().item<double>();
    EXPECT_GT(largest, 1e-3) << parameter.name;
    for (int64_t i = 0; i < value.numel(); ++i) {
      float& element = value.data_ptr<float>()[i];
      const float before = element;
      element = before + static_cast<float>(h);
      const double up = scalar().item<double>();
      element = before - static_cast<float>(h);
      const double down = scalar().item<double>();
      element = before;
      EXPECT_NEAR(gradient[i].item<double>(), (up - down) / (2.0 * h), tolerance * largest)
          << parameter.name << ", element " << i;
    }
  }
}

// The gradients of Σ output·r for a fixed random r, in the order of the parameters.
inline std::vector<at::Tensor> parameter_gradients(const Network& network,
                                                   const at::Tensor& output) {
  (output.to(at::kDouble) * random_tensor(output.sizes().vec(), 1234).to(at::kDouble))
      .sum()
      .backward();
  std::vector<at::Tensor> out;
  for (const Parameter& parameter : network.parameters()) {
    out.push_back(parameter.value.grad());
    at::Tensor(parameter.value).mutable_grad().reset();
  }
  return out;
}

// The same gradients from a slow float64 computation on the same parameters.
inline void expect_same_parameter_gradients(const Network& network, const at::Tensor& output,
                                            const at::Tensor& slow, double tolerance) {
  const std::vector<at::Tensor> got = parameter_gradients(network, output);
  const std::vector<at::Tensor> want = parameter_gradients(network, slow);
  for (size_t k = 0; k < got.size(); ++k) {
    const std::string& name = network.parameters()[k].name;
    ASSERT_TRUE(got[k].defined() && want[k].defined()) << name;
    const double largest = want[k].abs().max().item<double>();
    EXPECT_GT(largest, 1e-3) << name;
    EXPECT_LE((got[k] - want[k]).abs().max().item<double>(), tolerance * largest) << name;
  }
}

}  // namespace emgnn
