// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/link_set.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace emgnn {

LinkSet::LinkSet(Csr graph) : graph_(std::move(graph)) {
  const uint64_t size =
      std::bit_ceil(std::max<uint64_t>(16 * static_cast<uint64_t>(graph_.num_entries()), 64));
  shift_ = 64 - std::countr_zero(size);
  bits_.assign(size / 64, 0);
  for (int32_t i = 0; i < graph_.num_rows; ++i) {
    for (const int32_t j : graph_.row(i).col) {
      const uint64_t at = place(i, j);
      bits_[at / 64] |= uint64_t{1} << (at % 64);
    }
  }
}

bool LinkSet::stored(int32_t a, int32_t b) const {
  const std::span<const int32_t> links = graph_.row(a).col;
  return std::binary_search(links.begin(), links.end(), b);
}

}  // namespace emgnn
