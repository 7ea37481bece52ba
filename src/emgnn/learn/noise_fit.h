// SPDX-License-Identifier: Apache-2.0
// A normal distribution around each predicted value.
#pragma once

#include <span>

namespace emgnn {

// −log of the density of a normal distribution at a distance `error` from its mean.
double normal_nll(double error, double variance);

// What makes predicted variances v as large as errors are: s² v + c².
struct NoiseFit {
  double scale = 1.0;  // s
  double noise = 0.0;  // c
};

// The s and c under which the errors of some rows are likeliest. v/mean(v) gets a share w of the
// variance and the constant the rest, w in 0, 0.01, …, 0.99: there is always some noise. Given w the
// best factor of the whole is the mean of e²/(w v/mean(v) + 1 − w). At least one row; `smallest` is
// the least variance of the whole, for errors that are all 0.
NoiseFit fit_noise(std::span<const double> error, std::span<const double> variance,
                   double smallest);

}  // namespace emgnn
