// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace emgnn {

// SHA-256 (FIPS 180-4) for builds without OpenSSL, whose own is several times as fast.
class Sha256 {
 public:
  void add(std::string_view bytes);
  std::array<uint8_t, 32> digest();  // once, at the end

 private:
  static constexpr size_t kBlock = 64;
  void compress(const uint8_t* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, kBlock> pending_{};  // the first num_bytes_ % 64 are filled
  uint64_t num_bytes_ = 0;
};

}  // namespace emgnn
