// SPDX-License-Identifier: Apache-2.0
// What the splits of nodes and of molecules have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <emgnn/base/rng.h>

namespace emgnn {

struct Shares {
  double train, validation, test;
};

inline constexpr std::string_view kSharesExpected =
    "expected three shares above 0 with a sum of at most 1, as in 0.8/0.1/0.1";

// "0.8/0.1/0.1" -> numbers, or nothing when a piece is not one.
std::optional<std::vector<double>> numbers_of(std::string_view text);
std::optional<Shares> shares_of(std::string_view text);

void shuffle(std::vector<int32_t>& ids, Rng& rng);

}  // namespace emgnn
