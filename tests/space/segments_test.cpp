// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/segments.h>

#include <gtest/gtest.h>

#include "../models/gradient_check.h"

namespace emgnn {
namespace {

// Rows 0 and 2 are in two segments, row 4 in none.
Segments segments() {
  return Segments(
      Csr{.num_rows = 3, .num_cols = 5, .rowptr = {0, 3, 4, 6}, .col = {0, 1, 2, 2, 0, 3}});
}

TEST(Segments, SumsAndMaximaMatchTheirDefinitions) {
  const Segments s = segments();
  const at::Tensor h = random_tensor({5, 7}, 1), w = random_tensor({5, 1}, 2);
  const std::vector<std::vector<int64_t>> rows = {{0, 1, 2}, {2}, {0, 3}};
  for (size_t k = 0; k < rows.size(); ++k) {
    const auto i = static_cast<int64_t>(k);
    const at::Tensor some = h.index_select(0, at::tensor(rows[k]));
    const at::Tensor weight = w.index_select(0, at::tensor(rows[k]));
    EXPECT_TRUE(at::allclose(s.sum(h)[i], some.sum(0)));
    EXPECT_TRUE(at::allclose(s.weighted_sum(h, w)[i], (some * weight).sum(0)));
    EXPECT_TRUE(s.max(h)[i].equal(some.amax(0)));
    EXPECT_EQ(s.sizes()[i].item<float>(), static_cast<float>(rows[k].size()));
  }
}

TEST(Segments, GradientsMatchFiniteDifferences) {
  const Segments s = segments();
  const at::Tensor h = random_tensor({5, 7}, 1), w = random_tensor({5, 1}, 2);
  expect_gradient_matches([&](const at::Tensor& x) { return s.sum(x); }, h, 0.5, 1e-5);
  expect_gradient_matches([&](const at::Tensor& x) { return s.weighted_sum(x, w); }, h, 0.5, 1e-5);
  expect_gradient_matches([&](const at::Tensor& x) { return s.weighted_sum(h, x); }, w, 0.5, 1e-5);
  // No two values of a column are within 0.002 of each other: no maximum changes hands.
  expect_gradient_matches([&](const at::Tensor& x) { return s.max(x); }, h, 0.001, 1e-3);
}

}  // namespace
}  // namespace emgnn
