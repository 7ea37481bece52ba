// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/isa.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

namespace {

Isa cpu_isa() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx2 && avx512 ? Isa::kAvx512 : avx2 ? Isa::kAvx2 : Isa::kBaseline;
#else
  return Isa::kBaseline;
#endif
}

// An unknown name is no limit: a misspelt variable must not stop the program before main.
Isa allowed_isa() {
  const char* name = std::getenv("EMGNN_ISA");
  const std::string_view limit = name == nullptr ? "" : name;
  return limit == "baseline" ? Isa::kBaseline : limit == "avx2" ? Isa::kAvx2 : Isa::kAvx512;
}

std::atomic<Isa>& setting() {
  static std::atomic<Isa> isa = best_isa();
  return isa;
}

}  // namespace

Isa best_isa() { return std::min(cpu_isa(), allowed_isa()); }

Isa isa() { return setting(); }

void set_isa(Isa isa) {
  EMGNN_CHECK(isa <= cpu_isa(), "this CPU does not run the instruction set", static_cast<int>(isa));
  setting() = isa;
}

const RangeKernels& range_kernels() {
#if defined(__x86_64__)
  switch (isa()) {
    case Isa::kAvx512:
      return kAvx512Ranges;
    case Isa::kAvx2:
      return kAvx2Ranges;
    case Isa::kBaseline:
      break;
  }
#endif
  return kBaselineRanges;
}

const RangeKernels& range_kernels_for_pieces(int64_t width) {
#if defined(__x86_64__)
  constexpr int64_t kAvx2Lanes = 8;
  if (isa() == Isa::kAvx512 && width <= kAvx2Lanes) return kAvx2Ranges;
#endif
  return range_kernels();
}

}  // namespace emgnn::kernels
