// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <emgnn/base/rng.h>

namespace emgnn {

// philox() of counters that count up in their first word, from `first` on: several times faster than one
// call for each, since no block waits for the one before it.
void philox_blocks(PhiloxBlock first, std::array<uint32_t, 2> key, std::span<PhiloxBlock> out);

}  // namespace emgnn
