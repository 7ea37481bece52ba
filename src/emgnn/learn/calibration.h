// SPDX-License-Identifier: Apache-2.0
// Temperature scaling (Guo et al. 2017): one number, fitted on held-out rows, that makes class
// probabilities as confident as they are right. It never changes which class is the largest.
// Everywhere log_prob [n, num_classes] is row-major and cls [n] lies in [0, num_classes).
#pragma once

#include <cstdint>
#include <span>

namespace emgnn {

inline constexpr double kMinTemperature = 0.05;
inline constexpr double kMaxTemperature = 20.0;

// Mean −log softmax(log_prob / T)[cls]; NaN without rows.
double tempered_nll(std::span<const double> log_prob, std::span<const int32_t> cls,
                    int64_t num_classes, double temperature);

// The T in [0.05, 20] of the smallest tempered_nll, by golden-section search in log T. 1 where no T
// is strictly better than 1: without rows, and where the likelihood is zero or not a number.
double fit_temperature(std::span<const double> log_prob, std::span<const int32_t> cls,
                       int64_t num_classes);

// log_prob ← log softmax(log_prob / T) in place; T = 1 leaves every bit as it is.
void apply_temperature(std::span<double> log_prob, int64_t num_classes, double temperature);

}  // namespace emgnn
