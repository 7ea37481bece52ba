// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace emgnn {

// From 1 for the smallest; equal values share the mean of their ranks.
std::vector<double> mean_ranks(std::span<const double> values);

// Spearman's ρ of paired values: the correlation of their ranks. None where it is not defined: fewer
// than two pairs, all values of one side alike, or a value that is not a number.
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace emgnn
