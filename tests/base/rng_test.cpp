// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/rng.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/philox_blocks.h>

namespace emgnn {
namespace {

// Known-answer vectors published with Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, MatchesPublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Up to the last counter, and around.
TEST(Rng, BlocksAreThoseOfOneCounterAfterTheOther) {
  std::array<PhiloxBlock, 21> blocks;
  philox_blocks({0xfffffff0, 5, 6, 7}, {3, 4}, blocks);
  for (uint32_t i = 0; i < blocks.size(); ++i)
    EXPECT_EQ(blocks[i], philox({0xfffffff0 + i, 5, 6, 7}, {3, 4})) << i;
}

TEST(Rng, IsAPureFunctionOfItsKey) {
  Rng a(7, Stream::kDraw, 3), b(7, Stream::kDraw, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next_u64(), b.next_u64());
}

TEST(Rng, KeysDoNotShareNumbers) {
  std::set<uint64_t> seen;
  for (uint64_t seed : {0, 1}) {
    for (auto stream : {Stream::kInit, Stream::kDropout, Stream::kMcmc}) {
      for (uint64_t step : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32}) {
        for (uint32_t sub : {0U, 1U}) {
          Rng rng(seed, stream, step, sub);
          for (int i = 0; i < 8; ++i) EXPECT_TRUE(seen.insert(rng.next_u64()).second);
        }
      }
    }
  }
}

TEST(Rng, BelowIsUniform) {
  constexpr int kBins = 21, kDraws = 210000;
  std::vector<int> count(kBins);
  Rng rng(1, Stream::kTest);
  for (int i = 0; i < kDraws; ++i) ++count[rng.below(kBins)];
  double chi2 = 0;
  for (int c : count)
    chi2 += (c - kDraws / kBins) * (c - kDraws / kBins) / (double(kDraws) / kBins);
  EXPECT_LT(chi2, 45.3);  // 99.9 % point of chi-square with 20 degrees of freedom
}

TEST(Rng, NormalHasMomentsOfTheStandardNormal) {
  constexpr int kDraws = 100000;
  Rng rng(2, Stream::kTest);
  double sum = 0, square = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = rng.normal();
    sum += z;
    square += z * z;
  }
  // Four standard errors: 1/√n for the mean, √(2/n) for the second moment.
  EXPECT_NEAR(sum / kDraws, 0.0, 4.0 / std::sqrt(kDraws));
  EXPECT_NEAR(square / kDraws, 1.0, 4.0 * std::sqrt(2.0 / kDraws));
}

TEST(Rng, RejectsAnEmptyRange) {
  Rng rng(1, Stream::kTest);
  EXPECT_THROW(rng.below(0), UsageError);
}

}  // namespace
}  // namespace emgnn
