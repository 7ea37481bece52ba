// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/rng.h>

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include <emgnn/base/error.h>
#include <emgnn/base/philox_blocks.h>

namespace emgnn {

PhiloxBlock philox(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  r123::Philox4x32::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  r123::Philox4x32::key_type k = {{key[0], key[1]}};
  const auto r = r123::Philox4x32{}(c, k);
  return {r[0], r[1], r[2], r[3]};
}

void philox_blocks(PhiloxBlock first, std::array<uint32_t, 2> key, std::span<PhiloxBlock> out) {
  for (PhiloxBlock& block : out) {
    block = philox(first, key);
    ++first[0];
  }
}

Rng::Rng(uint64_t seed, Stream stream, uint64_t step, uint32_t substream)
    : seed_(seed), stream_(static_cast<uint32_t>(stream) | substream << 8), step_(step) {
  EMGNN_CHECK(substream < (1U << 24), "substream must fit in 24 bits", substream);
}

uint32_t Rng::next_u32() {
  if (used_ == 4) {
    const auto lo = static_cast<uint32_t>(step_);
    const auto hi = static_cast<uint32_t>(step_ >> 32);
    buffer_ = philox({block_++, lo, hi, stream_},
                     {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
    used_ = 0;
  }
  return buffer_[static_cast<size_t>(used_++)];
}

uint64_t Rng::next_u64() {
  const uint64_t lo = next_u32();
  return lo | static_cast<uint64_t>(next_u32()) << 32;
}

double Rng::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }

double Rng::uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }

uint64_t Rng::below(uint64_t n) {
  EMGNN_CHECK(n >= 1, "below(n) needs n >= 1", n);
  // Rejection of the incomplete last interval keeps every value equally likely.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  uint64_t u = next_u64();
  while (u >= limit) u = next_u64();
  return u % n;
}

double Rng::normal() {
  const double u = 1.0 - uniform();  // (0, 1]: the logarithm is finite
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * uniform());
}

uint64_t member_seed(uint64_t seed, Stream stream, uint64_t member) {
  return member == 0 ? seed : Rng(seed, stream, member).next_u64();
}

}  // namespace emgnn
