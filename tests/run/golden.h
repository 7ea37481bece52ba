// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <emgnn/kernels/isa.h>

namespace emgnn::testing {

inline std::string isa_name() {
  constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(kernels::isa())];
}

// Whether this program computes like one that recorded its numbers: the same instruction set, and
// an optimised build, which contracts a * b + c as that one did.
inline bool same_bits_as(const std::string& isa) {
#ifdef NDEBUG
  return isa_name() == isa;
#else
  return isa.empty();
#endif
}

}  // namespace emgnn::testing
