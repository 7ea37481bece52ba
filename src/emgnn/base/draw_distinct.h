// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include <emgnn/base/rng.h>

namespace emgnn {

// `count` distinct numbers below n, every set equally likely (Floyd 1987): expected time O(count).
std::unordered_set<uint64_t> draw_distinct(uint64_t n, uint64_t count, Rng rng);

}  // namespace emgnn
