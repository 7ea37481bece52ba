// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/memory.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

TEST(Memory, AmountsAreReadInUnitsOf1024) {
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("512K"), 512 * 1024);
  EXPECT_EQ(parse_bytes("512M"), 512LL << 20);
  EXPECT_EQ(parse_bytes("8G"), 8LL << 30);
  EXPECT_EQ(parse_bytes("8g"), 8LL << 30);
  EXPECT_EQ(parse_bytes("8GB"), 8LL << 30);
  EXPECT_EQ(parse_bytes("8GiB"), 8LL << 30);
  EXPECT_EQ(parse_bytes("1.5G"), 3LL << 29);
  EXPECT_EQ(parse_bytes("2T"), 2LL << 40);
}

TEST(Memory, AnythingElseIsRefused) {
  for (const char* text : {"", "G", "-1G", "8X", "8 G", "nan", "inf", "0", "1e30G", "8GG", "8GBB"})
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
}

TEST(Memory, AmountsAreToldInWords) {
  EXPECT_EQ(bytes_in_words(3LL << 29), "1.5 GB");
  EXPECT_EQ(bytes_in_words(200LL << 20), "200 MB");
  EXPECT_EQ(bytes_in_words(100LL << 10), "100 kB");
  EXPECT_EQ(bytes_in_words(8), "8 bytes");
}

TEST(Memory, TheSystemHasSome) { EXPECT_GT(available_memory(), int64_t{1} << 20); }

TEST(Memory, ALimitBelowWhatIsTakenIsRefused) {
  EXPECT_THROW(limit_memory(1), UsageError);
  EXPECT_EQ(memory_limit(), 0);
}

}  // namespace
}  // namespace emgnn
