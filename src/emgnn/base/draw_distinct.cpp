// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/draw_distinct.h>

namespace emgnn {

std::unordered_set<uint64_t> draw_distinct(uint64_t n, uint64_t count, Rng rng) {
  std::unordered_set<uint64_t> out;
  out.reserve(count);
  for (uint64_t last = n - count; last < n; ++last) {
    const uint64_t drawn = rng.below(last + 1);
    if (!out.insert(drawn).second) out.insert(last);
  }
  return out;
}

}  // namespace emgnn
