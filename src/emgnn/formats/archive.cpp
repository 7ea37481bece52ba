// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/archive.h>

namespace emgnn {
namespace {

constexpr size_t kHeaderBytes = 24;

// Four independent chains of (h ^ word) * odd: every step is a bijection, so no changed word goes
// unseen.
uint64_t checksum(std::string_view bytes) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t lane[4] = {1, 2, 3, bytes.size()};
  const auto mix = [](uint64_t& h, uint64_t word) {
    h = (h ^ word) * kOdd;
    h ^= h >> 29;
  };
  while (bytes.size() >= 32) {
    uint64_t words[4];
    std::memcpy(words, bytes.data(), 32);
    for (int i = 0; i < 4; ++i) mix(lane[i], words[i]);
    bytes.remove_prefix(32);
  }
  for (size_t i = 0; i < bytes.size(); ++i) mix(lane[i % 4], static_cast<unsigned char>(bytes[i]));
  for (int i = 1; i < 4; ++i) mix(lane[0], lane[i]);
  return lane[0];
}

}  // namespace

std::string sealed(std::string_view magic, std::string_view payload) {
  ArchiveWriter whole;
  whole.raw(magic.data(), magic.size());
  const uint64_t size = payload.size(), sum = checksum(payload);
  whole.raw(&size, sizeof(size));
  whole.raw(&sum, sizeof(sum));
  whole.raw(payload.data(), payload.size());
  return whole.take();
}

std::optional<std::string_view> unsealed(std::string_view magic, std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(magic)) return std::nullopt;
  ByteReader header(bytes.substr(magic.size()), "cache");
  const auto size = header.read<uint64_t>("size"), sum = header.read<uint64_t>("checksum");
  const std::string_view payload = bytes.substr(kHeaderBytes);
  if (size != payload.size() || sum != checksum(payload)) return std::nullopt;
  return payload;
}

}  // namespace emgnn
