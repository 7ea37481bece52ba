// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/ode_solver.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

at::Tensor numbers(std::vector<double> values) { return at::tensor(values); }

// The logistic equation with a rate that changes: dy/dt = p cos(t) y (1 - y), whose solution is
// y = 1 / (1 + (1/y₀ - 1) exp(-p sin t)).
at::Tensor logistic(double t, const at::Tensor& y, at::TensorList p) {
  return p[0] * std::cos(t) * y * (1.0 - y);
}

at::Tensor logistic_solution(double t, const at::Tensor& y0, const at::Tensor& p) {
  return 1.0 / (1.0 + (1.0 / y0 - 1.0) * (-p * std::sin(t)).exp());
}

double largest(const at::Tensor& x) { return x.abs().max().item<double>(); }

const at::Tensor kStart = numbers({0.1, 0.3, 0.8});
const at::Tensor kRate = numbers({1.5, 2.0, -0.7});

double error_of(const OdeOptions& options, double to = 2.0) {
  const at::Tensor got = integrate(logistic, kStart, {kRate}, {0.0, to}, options);
  return largest(got - logistic_solution(to, kStart, kRate));
}

// Halving the step divides the error by 2⁴, up to terms of the next order.
TEST(OdeSolver, Rk4IsOfOrderFour) {
  for (double step : {0.1, 0.05, 0.025}) {
    const double coarse = error_of({.method = OdeMethod::kRk4, .step = step});
    const double fine = error_of({.method = OdeMethod::kRk4, .step = step / 2});
    EXPECT_GT(fine, 1e-13);  // not rounding
    EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.35) << step;
  }
}

// Per step the method is of order 5, and a step is as long as its estimated error, of order 5 in the
// step, allows: the whole error falls in proportion to the tolerance.
TEST(OdeSolver, Dopri5KeepsItsTolerance) {
  double before = 1.0;
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const double error =
        error_of({.absolute_tolerance = tolerance, .relative_tolerance = tolerance});
    EXPECT_LT(error, 10 * tolerance);
    EXPECT_LT(error, before / 10);
    before = error;
  }
}

// A rotation needs steps of the same length all the time: the error falls with the fifth power of
// their number. Some are rejected, and the last is cut.
TEST(OdeSolver, Dopri5IsOfOrderFive) {
  struct Run {
    double slopes, error;
  };
  const auto run = [](double tolerance) {
    int count = 0;
    const OdeFunction f = [&](double, const at::Tensor& y, at::TensorList) {
      ++count;
      return at::stack({y[1], -y[0]});
    };
    const at::Tensor y = integrate(
        f, numbers({0.0, 1.0}), {}, {0.0, 30.0},
        {.absolute_tolerance = tolerance, .relative_tolerance = 0.0, .max_steps = 100'000});
    return Run{static_cast<double>(count), largest(y - numbers({std::sin(30.0), std::cos(30.0)}))};
  };
  const Run coarse = run(1e-5), fine = run(1e-9);
  const double order = std::log(coarse.error / fine.error) / std::log(fine.slopes / coarse.slopes);
  EXPECT_NEAR(order, 5.0, 0.35);
}

// Each step solves polynomials of degree 5 exactly, whatever its length.
TEST(OdeSolver, Dopri5SolvesPolynomialsOfDegreeFive) {
  const auto slope = [](double t, const at::Tensor& y, at::TensorList) {
    return at::full_like(y, 5 * std::pow(t, 4) - 3 * t * t);
  };
  const at::Tensor y =
      integrate(slope, numbers({2.0}), {}, {0.0, 1.5}, {.absolute_tolerance = 1.0});
  EXPECT_NEAR(y.item<double>(), 2.0 + std::pow(1.5, 5) - std::pow(1.5, 3), 1e-12);
}

TEST(OdeSolver, TimeMayRunBackwards) {
  const OdeOptions fine{.absolute_tolerance = 1e-11, .relative_tolerance = 1e-11};
  const at::Tensor there = integrate(logistic, kStart, {kRate}, {0.0, 2.0}, fine);
  EXPECT_LT(largest(integrate(logistic, there, {kRate}, {2.0, 0.0}, fine) - kStart), 1e-9);
  const OdeOptions steps{.method = OdeMethod::kRk4, .step = 0.01};
  EXPECT_LT(largest(integrate(logistic, there, {kRate}, {2.0, 0.0}, steps) - kStart), 1e-8);
  for (OdeMethod method : {OdeMethod::kRk4, OdeMethod::kDopri5}) {
    EXPECT_TRUE(integrate(logistic, kStart, {kRate}, {1.0, 1.0}, {.method = method}).equal(kStart));
  }
}

// dy/dt = -1e6 (y - cos t) is stiff; dy/dt = y² leaves every bound at t = 1.
TEST(OdeSolver, AStiffEquationEndsWithAMessage) {
  const OdeFunction stiff = [](double t, const at::Tensor& y, at::TensorList) {
    return (y - std::cos(t)) * -1e6;
  };
  const OdeFunction exploding = [](double, const at::Tensor& y, at::TensorList) { return y * y; };
  for (const OdeFunction& f : {stiff, exploding}) {
    try {
      integrate(f, numbers({1.0}), {}, {0.0, 2.0}, {.max_steps = 200});
      FAIL();
    } catch (const UsageError&) {
      FAIL() << "no wrong setting";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("model.solver_steps=200"), std::string::npos);
    }
  }
  EXPECT_THROW(error_of({.method = OdeMethod::kRk4, .step = 0.01, .max_steps = 100}), Error);
}

TEST(OdeSolver, ValuesThatAreNotFiniteAreNamed) {
  const double nan = std::nan("");
  try {
    integrate(logistic, numbers({0.1, nan, 0.3}), {kRate}, {0.0, 1.0}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("training has diverged"), std::string::npos);
  }
}

struct Gradients {
  at::Tensor y, start, rate;
};

Gradients gradients(const OdeOptions& options) {
  const at::Tensor start = kStart.clone().set_requires_grad(true);
  const at::Tensor rate = kRate.clone().set_requires_grad(true);
  const at::Tensor y = integrate(logistic, start, {rate}, {0.3, 2.0}, options);
  (y * numbers({1.0, -2.0, 0.5})).sum().backward();
  return {y.detach(), start.grad(), rate.grad()};
}

// Both ways, against the derivatives of the known solution.
TEST(OdeSolver, GradientsAreThoseOfTheSolution) {
  const at::Tensor start = kStart.clone().set_requires_grad(true);
  const at::Tensor rate = kRate.clone().set_requires_grad(true);
  // From 0.3, the exponent is p (sin 2 - sin 0.3).
  const at::Tensor y =
      1.0 / (1.0 + (1.0 / start - 1.0) * (-rate * (std::sin(2.0) - std::sin(0.3))).exp());
  (y * numbers({1.0, -2.0, 0.5})).sum().backward();
  for (OdeGradient gradient : {OdeGradient::kDirect, OdeGradient::kAdjoint}) {
    for (OdeMethod method : {OdeMethod::kRk4, OdeMethod::kDopri5}) {
      // rk4: 170 steps of which each is off by h⁵ = 1e-10 at most; dopri5: some steps of 1e-10.
      const Gradients got = gradients({.method = method,
                                       .step = 0.01,
                                       .absolute_tolerance = 1e-10,
                                       .relative_tolerance = 1e-10,
                                       .gradient = gradient});
      EXPECT_LT(largest(got.y - y), 1e-8);
      EXPECT_LT(largest(got.start - start.grad()), 1e-7);
      EXPECT_LT(largest(got.rate - rate.grad()), 1e-7);
    }
  }
}

// The steps have a gradient of their own: exact at any step, unlike that of the equation.
TEST(OdeSolver, DirectGradientIsThatOfTheSteps) {
  const OdeOptions coarse{.method = OdeMethod::kRk4, .step = 0.9};
  const Gradients got = gradients(coarse);
  constexpr double kStep = 1e-5;  // central differences: h² = 1e-10, rounding 1e-16 / h = 1e-11
  for (int64_t i = 0; i < 3; ++i) {
    const auto value = [&](double by) {
      at::Tensor rate = kRate.clone();
      rate[i] += by;
      const at::Tensor y = integrate(logistic, kStart, {rate}, {0.3, 2.0}, coarse);
      return (y * numbers({1.0, -2.0, 0.5})).sum().item<double>();
    };
    EXPECT_NEAR(got.rate[i].item<double>(), (value(kStep) - value(-kStep)) / (2 * kStep), 1e-9);
  }
  OdeOptions adjoint = coarse;
  adjoint.gradient = OdeGradient::kAdjoint;
  EXPECT_GT(largest(gradients(adjoint).rate - got.rate), 1e-6);
}

}  // namespace
}  // namespace emgnn
