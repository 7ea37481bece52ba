// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/checksum.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <emgnn/formats/sha256.h>

namespace emgnn {
namespace {

std::string plain_sha256(std::initializer_list<std::string_view> parts) {
  Sha256 sum;
  for (const std::string_view part : parts) sum.add(part);
  return fmt::format("{:02x}", fmt::join(sum.digest(), ""));
}

std::string some_bytes(size_t n) {
  std::string bytes(n, '\0');
  for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>(i * i * 37 + i / 7);
  return bytes;
}

// The examples of FIPS 180-2, appendix B, and of the empty text.
TEST(Checksum, Sha256HasThePublishedValues) {
  const std::pair<std::string, const char*> examples[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};
  for (const auto& [text, expected] : examples) {
    EXPECT_EQ(sha256_hex(text), expected);
    EXPECT_EQ(plain_sha256({text}), expected);
  }
}

// Every length around the borders of a block of 64, in two pieces cut anywhere. With OpenSSL,
// sha256_hex is an independent implementation.
TEST(Checksum, OwnSha256IsTheSameHoweverTheBytesArrive) {
  for (size_t n = 0; n <= 200; ++n) {
    const std::string bytes = some_bytes(n);
    for (size_t cut = 0; cut <= n; ++cut) {
      const std::string_view all = bytes;
      ASSERT_EQ(plain_sha256({all.substr(0, cut), all.substr(cut)}), sha256_hex(bytes))
          << n << " " << cut;
    }
  }
}

// The catalogue's check value of CRC-32/ISO-HDLC, and one step at a time.
TEST(Checksum, Crc32HasThePublishedValueAndContinues) {
  EXPECT_EQ(crc32_of("123456789"), 0xcbf43926U);
  EXPECT_EQ(crc32_of(""), 0U);
  for (const size_t size : {7, 8, 9, 1003}) {
    const std::string bytes = some_bytes(size);
    uint32_t rest = 0;
    for (const char& c : bytes) rest = crc32_of({&c, 1}, rest);
    EXPECT_EQ(rest, crc32_of(bytes)) << size;
  }
}

}  // namespace
}  // namespace emgnn
