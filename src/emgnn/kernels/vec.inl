// SPDX-License-Identifier: Apache-2.0
// One vector of floats, through the vector extensions of GCC and Clang.
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace emgnn::kernels {
namespace {

constexpr int kLanes = EMGNN_LANES;
using Vec = float __attribute__((vector_size(4 * EMGNN_LANES)));

inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof v); }

#if EMGNN_LANES == 8
// Lanes 0..n-1 set.
inline __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

// The first n floats, 0 < n <= kLanes, and zeros; memory beyond them is not touched.
inline Vec load_first(const float* p, int n) {
#if EMGNN_LANES == 16
  return (Vec)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1U), p);
#elif EMGNN_LANES == 8
  return (Vec)_mm256_maskload_ps(p, first_lanes(n));
#else
  Vec v = {};
  for (int i = 0; i < n; ++i) v[i] = p[i];
  return v;
#endif
}

inline void store_first(float* p, Vec v, int n) {
#if EMGNN_LANES == 16
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1U << n) - 1U), (__m512)v);
#elif EMGNN_LANES == 8
  _mm256_maskstore_ps(p, first_lanes(n), (__m256)v);
#else
  for (int i = 0; i < n; ++i) p[i] = v[i];
#endif
}

inline float sum_lanes(Vec v) {
  using Quarter = float __attribute__((vector_size(16)));
  Quarter part[kLanes / 4];
  __builtin_memcpy(part, &v, sizeof v);
#pragma GCC unroll 2
  for (int half = kLanes / 8; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) part[k] += part[k + half];
  return (part[0][0] + part[0][2]) + (part[0][1] + part[0][3]);
}

// A block of kVectors consecutive vectors, the last of which holds `last` floats where kPartial.
template <int kVectors, bool kPartial>
struct Block {
  Vec v[kVectors];

  static Vec load_one(const float* p, int k, int last) {
    if (kPartial && k == kVectors - 1) return load_first(p + k * kLanes, last);
    return load(p + k * kLanes);
  }
  void zero() {
    for (int k = 0; k < kVectors; ++k) v[k] = Vec{};
  }
  void read(const float* p, int last) {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) v[k] = load_one(p, k, last);
  }
  void add_scaled(float s, const float* p, int last) {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) v[k] += s * load_one(p, k, last);
  }
  void add_block(float s, const Block& other) {
    for (int k = 0; k < kVectors; ++k) v[k] += s * other.v[k];
  }
  void max_with(const float* p, int last) {
    for (int k = 0; k < kVectors; ++k) {
      const Vec x = load_one(p, k, last);
      v[k] = x > v[k] ? x : v[k];
    }
  }
  float dot(const float* p, int last) const {
    Vec sum = v[0] * load_one(p, 0, last);
#pragma GCC unroll 8
    for (int k = 1; k < kVectors; ++k) sum += v[k] * load_one(p, k, last);
    return sum_lanes(sum);
  }
  void scale(float s) {
    for (int k = 0; k < kVectors; ++k) v[k] *= s;
  }
  void write(float* p, int last) const {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) {
      if (kPartial && k == kVectors - 1) {
        store_first(p + k * kLanes, v[k], last);
      } else {
        store(p + k * kLanes, v[k]);
      }
    }
  }
};

// Calls body on a block of `vectors` <= kVectors vectors, the last of which holds `last` floats.
template <int kVectors, class Body>
inline void call_block(int vectors, int64_t offset, int last, const Body& body) {
  if (vectors == kVectors) {
    if (last == kLanes) {
      body(Block<kVectors, false>{}, offset, last);
    } else {
      body(Block<kVectors, true>{}, offset, last);
    }
  } else if constexpr (kVectors > 1) {
    call_block<kVectors - 1>(vectors, offset, last, body);
  }
}

// Calls body(Block{}, offset, last) on blocks of at most kMax vectors that cover `width` floats.
template <int kMax, class Body>
inline void for_blocks(int64_t width, const Body& body) {
  int64_t offset = 0;
  for (; width - offset >= kMax * kLanes; offset += kMax * kLanes)
    body(Block<kMax, false>{}, offset, kLanes);
  const int rest = static_cast<int>(width - offset);
  if (rest == 0) return;
  const int vectors = (rest + kLanes - 1) / kLanes;
  call_block<kMax>(vectors, offset, rest - (vectors - 1) * kLanes, body);
}

}  // namespace
}  // namespace emgnn::kernels
