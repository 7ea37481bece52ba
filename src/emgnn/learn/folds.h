// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/data/labels.h>

namespace emgnn {

// Parts of `rows` of equal size, give or take one, each with its share of every class, or of low and
// high values. UsageError with fewer rows than parts.
std::vector<std::vector<int32_t>> stratified_folds(const Labels& labels,
                                                   std::span<const int32_t> rows, int64_t count,
                                                   uint64_t seed);

}  // namespace emgnn
