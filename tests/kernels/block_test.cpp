// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/block.h>

#include "reference.h"

namespace emgnn::kernels {
namespace {

struct Case {
  bool with_factor, with_source, with_source_factor;
};

constexpr int64_t kRows = 700, kInputs = 90, kPlaces = 120;

// Rows that continue the list of the row before them, start it again, or have another one.
struct Problem {
  Case c;
  int64_t width;
  std::vector<int32_t> own, count, base, neighbour, source;
  std::vector<int64_t> list;
  std::vector<float> factor, source_factor, in;

  Problem(const Case& which, int64_t w) : c(which), width(w) {
    Rng rng(3, Stream::kTest);
    const auto below = [&](int64_t n) { return static_cast<int32_t>(rng.below(uint64_t(n))); };
    constexpr int64_t kLists = 40, kLongest = 12;
    for (int64_t k = 0; k < kLists * kLongest; ++k) neighbour.push_back(below(kInputs / 3));
    for (int64_t r = 0; r < kRows; ++r) {
      const bool repeats = r > 0 && rng.below(3) > 0;
      list.push_back(repeats ? list.back() : below(kLists) * kLongest);
      base.push_back(repeats && rng.below(4) > 0 ? base.back() : below(kInputs / 2));
      count.push_back(below(kLongest + 1));
      own.push_back(below(kInputs));
    }
    for (int64_t k = 0; k < kPlaces; ++k) source.push_back(below(kInputs));
    factor = random_floats(kRows, 1);
    source_factor = random_floats(kPlaces, 2);
    in = random_floats(kInputs * 2 * width, 4);
  }

  BlockView view() const {
    return {.num_rows = kRows,
            .own = own.data(),
            .list = list.data(),
            .count = count.data(),
            .base = base.data(),
            .factor = c.with_factor ? factor.data() : nullptr,
            .neighbour = neighbour.data(),
            .source = c.with_source ? source.data() : nullptr,
            .source_factor = c.with_source_factor ? source_factor.data() : nullptr};
  }

  double expected(int64_t r, int64_t j) const {
    double sum = 0.0;
    for (int64_t e = 0; e < count[idx(r)]; ++e) {
      const size_t place = idx(base[idx(r)] + neighbour[idx(list[idx(r)] + e)]);
      const int64_t input = c.with_source ? source[place] : static_cast<int64_t>(place);
      sum += (c.with_source_factor ? double{source_factor[place]} : 1.0) *
             double{in[idx((2 * input + 1) * width + j)]};
    }
    return in[idx(2 * own[idx(r)] * width + j)] + (c.with_factor ? factor[idx(r)] : 1.0F) * sum;
  }
};

TEST(BlockSpmm, MatchesTheDefinitionForEveryWidthAndKindOfFactor) {
  for (const Case& c : {Case{false, false, false}, Case{true, false, false},
                        Case{true, true, false}, Case{true, true, true}}) {
    for (int64_t width : {1, 7, 16, 64, 131}) {
      SCOPED_TRACE(width);
      const Problem p(c, width);
      for_every_isa(
          [&] {
            std::vector<float> out(idx(kRows * width));
            block_spmm(p.view(), width, p.in.data(), out.data());
            return out;
          },
          [&](const std::vector<float>& out) {
            for (int64_t r = 0; r < kRows; ++r) {
              for (int64_t j = 0; j < width; ++j)
                ASSERT_NEAR(out[idx(r * width + j)], p.expected(r, j), tolerance(14, 14.0)) << r;
            }
          });
    }
  }
}

// The sum of a row that continues another one is the sum from its beginning.
TEST(BlockSpmm, BitsOfARowDoNotDependOnTheRowsBeforeIt) {
  constexpr int64_t kWidth = 33;
  const Problem p({true, true, false}, kWidth);
  std::vector<float> all(idx(kRows * kWidth)), one(idx(kWidth));
  block_spmm(p.view(), kWidth, p.in.data(), all.data());
  for (int64_t r = 0; r < kRows; ++r) {
    BlockView row = p.view();
    row.num_rows = 1;
    row.own += r;
    row.list += r;
    row.count += r;
    row.base += r;
    row.factor += r;
    block_spmm(row, kWidth, p.in.data(), one.data());
    EXPECT_EQ(std::memcmp(one.data(), all.data() + r * kWidth, sizeof(float) * idx(kWidth)), 0);
  }
}

}  // namespace
}  // namespace emgnn::kernels
