// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/checksum.h>

#ifdef EMGNN_OPENSSL
#include <openssl/evp.h>
#else
#include <emgnn/formats/sha256.h>
#endif

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

#ifdef EMGNN_OPENSSL
class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EMGNN_DCHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(std::string_view bytes) {
    EMGNN_DCHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }
  std::array<uint8_t, 32> digest() {
    std::array<uint8_t, 32> out{};
    EMGNN_DCHECK(EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1);
    return out;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};
#else
using Digest = Sha256;
#endif

std::string hex(const std::array<uint8_t, 32>& digest) {
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

// For the reflected polynomial 0xedb88320: [k][byte] is the remainder of a byte with k bytes of zeros
// behind it, so that eight bytes are divided at once.
constexpr size_t kCrcBytes = 8;
using CrcTables = std::array<std::array<uint32_t, 256>, kCrcBytes>;
constexpr CrcTables make_crc_tables() {
  CrcTables table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320U : 0U);
    table[0][byte] = rest;
  }
  for (size_t k = 1; k < kCrcBytes; ++k)
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t rest = table[k - 1][byte];
      table[k][byte] = rest >> 8 ^ table[0][rest & 0xffU];
    }
  return table;
}
constexpr CrcTables kCrc = make_crc_tables();

uint32_t byte_at(const char* p, size_t i) { return static_cast<uint8_t>(p[i]); }

}  // namespace

uint32_t crc32_of(std::string_view bytes, uint32_t before) {
  uint32_t rest = ~before;
  const char* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= kCrcBytes; left -= kCrcBytes, p += kCrcBytes) {
    rest = kCrc[7][(rest ^ byte_at(p, 0)) & 0xffU] ^ kCrc[6][(rest >> 8 ^ byte_at(p, 1)) & 0xffU] ^
           kCrc[5][(rest >> 16 ^ byte_at(p, 2)) & 0xffU] ^ kCrc[4][rest >> 24 ^ byte_at(p, 3)] ^
           kCrc[3][byte_at(p, 4)] ^ kCrc[2][byte_at(p, 5)] ^ kCrc[1][byte_at(p, 6)] ^
           kCrc[0][byte_at(p, 7)];
  }
  for (; left > 0; --left, ++p) rest = rest >> 8 ^ kCrc[0][(rest ^ byte_at(p, 0)) & 0xffU];
  return ~rest;
}

std::string sha256_hex(std::string_view bytes) {
  Digest sum;
  sum.add(bytes);
  return hex(sum.digest());
}

std::string sha256_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"),
                                                           std::fclose);
  if (!in) throw DataError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  Digest sum;
  std::string buffer(1 << 20, '\0');
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), in.get()))
    sum.add({buffer.data(), got});
  if (std::ferror(in.get()) != 0) throw DataError(fmt::format("{}: cannot be read", path.string()));
  return hex(sum.digest());
}

}  // namespace emgnn
