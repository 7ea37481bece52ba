// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/segment.h>

#include <algorithm>

#include "reference.h"

namespace emgnn::kernels {
namespace {

constexpr int32_t kSegments = 50, kRows = 40;

// Segments that overlap, some of one row; values in a few steps, so that equals occur.
struct Problem {
  int64_t width;
  std::vector<int32_t> rowptr = {0}, col;
  std::vector<float> in;

  explicit Problem(int64_t w) : width(w) {
    Rng rng(8, Stream::kTest);
    for (int32_t s = 0; s < kSegments; ++s) {
      for (uint64_t k = 0; k < 1 + rng.below(6); ++k)
        col.push_back(static_cast<int32_t>(rng.below(kRows)));
      rowptr.push_back(static_cast<int32_t>(col.size()));
    }
    in = random_floats(kRows * width, 2);
    for (float& x : in) x = std::round(x * 3.0F);
  }

  CsrView view() const { return {kSegments, kRows, rowptr.data(), col.data()}; }
  float at(int32_t e, int64_t j) const { return in[idx(col[idx(e)] * width + j)]; }
};

TEST(SegmentMax, IsTheLargestAndGivesItsGradientToTheFirstOfEquals) {
  for (int64_t width : {1, 9, 64, 130}) {
    SCOPED_TRACE(width);
    const Problem p(width);
    const std::vector<float> grad_out = random_floats(kSegments * width, 3);
    for_every_isa(
        [&] {
          std::vector<float> out(idx(kSegments * width));
          segment_max(p.view(), width, p.in.data(), out.data());
          std::vector<float> grad_in(idx(kRows * width));
          segment_max_backward(p.view(), width, p.in.data(), out.data(), grad_out.data(),
                               grad_in.data());
          out.insert(out.end(), grad_in.begin(), grad_in.end());
          return out;
        },
        [&](const std::vector<float>& out) {
          std::vector<float> grad_in(idx(kRows * width));
          for (int32_t s = 0; s < kSegments; ++s) {
            for (int64_t j = 0; j < width; ++j) {
              int32_t best = p.rowptr[idx(s)];
              for (int32_t e = best; e < p.rowptr[idx(s) + 1]; ++e)
                if (p.at(e, j) > p.at(best, j)) best = e;
              EXPECT_EQ(out[idx(s * width + j)], p.at(best, j));
              grad_in[idx(p.col[idx(best)] * width + j)] += grad_out[idx(s * width + j)];
            }
          }
          EXPECT_TRUE(std::equal(grad_in.begin(), grad_in.end(), out.end() - kRows * width));
        });
  }
}

}  // namespace
}  // namespace emgnn::kernels
