// SPDX-License-Identifier: Apache-2.0
// What the kernel tests share: random inputs, tolerances, and loops over instruction sets and
// threads.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/kernels/isa.h>
#include "../base/with_threads.h"

namespace emgnn::kernels {

inline size_t idx(int64_t i) { return static_cast<size_t>(i); }

inline std::vector<float> random_floats(int64_t size, uint64_t seed) {
  Rng rng(seed, Stream::kTest);
  std::vector<float> x(idx(size));
  for (float& v : x) v = static_cast<float>(rng.uniform(-1.0, 1.0));
  return x;
}

inline std::vector<Isa> runnable_isas() {
  std::vector<Isa> all = {Isa::kBaseline};
  if (best_isa() >= Isa::kAvx2) all.push_back(Isa::kAvx2);
  if (best_isa() >= Isa::kAvx512) all.push_back(Isa::kAvx512);
  return all;
}

// A sum of n float32 products of size <= 1 is off by at most about n·(n+1)/2 roundings of
// 2⁻²⁴·(partial sum / n); n·2⁻²⁴ times the sum of magnitudes bounds it (Higham 2002, section 3.1).
inline double tolerance(int64_t num_terms, double sum_of_magnitudes) {
  return 1e-7 + static_cast<double>(num_terms + 2) * 0x1.0p-24 * sum_of_magnitudes;
}

// Runs `kernel() -> vector<float>` for every instruction set and several thread counts; the bits
// must not depend on the threads, and check(result) runs once per instruction set.
template <class Kernel, class Check>
void for_every_isa(const Kernel& kernel, const Check& check) {
  for (const Isa isa : runnable_isas()) {
    SCOPED_TRACE(testing::Message() << "isa " << static_cast<int>(isa));
    set_isa(isa);
    const std::vector<float> one = with_threads(1, kernel);
    for (const int threads : {2, 5}) {
      const std::vector<float> many = with_threads(threads, kernel);
      ASSERT_EQ(one.size(), many.size());
      EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0) << threads;
    }
    check(one);
  }
  set_isa(best_isa());
}

}  // namespace emgnn::kernels
