// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/utf8.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace emgnn {
namespace {

// The shortest form of a code point, by the definition.
std::string encoded(uint32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryCharacterIsValidAndNoSurrogateIs) {
  for (uint32_t c = 0; c < 0x120000; ++c) {
    const bool valid = c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF);
    ASSERT_EQ(!first_invalid_utf8(encoded(c)), valid) << std::hex << c;
  }
}

TEST(Utf8, OtherTextsAreInvalidWhereTheyBreak) {
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("gr\xfcn"), 2U);  // Latin-1
  EXPECT_EQ(first_invalid_utf8("\xff\xfe"
                               "a"),
            0U);                                // UTF-16
  EXPECT_EQ(first_invalid_utf8("ab\xc3"), 2U);  // cut off
  EXPECT_EQ(first_invalid_utf8("\xe2\x82"), 0U);
  EXPECT_EQ(first_invalid_utf8("\xc3\xa9\x80"), 2U);  // one byte too many
  EXPECT_EQ(first_invalid_utf8("\xc0\xaf"), 0U);      // longer than needed
  EXPECT_EQ(first_invalid_utf8("\xe0\x80\xaf"), 0U);
  EXPECT_EQ(first_invalid_utf8("\xf0\x80\x80\xaf"), 0U);
}

}  // namespace
}  // namespace emgnn
