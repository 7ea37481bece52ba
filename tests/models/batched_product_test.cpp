// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/batched_product.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "../base/with_threads.h"
#include "gradient_check.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

// Sums of at most 7 products of size 1 in float32.
TEST(BatchedProduct, IsTheProductOfEachPair) {
  const at::Tensor a = random_tensor({4, 3, 7}, 1), b = random_tensor({4, 7, 5}, 2);
  const at::Tensor want = at::bmm(a.to(at::kDouble), b.to(at::kDouble)).to(at::kFloat);
  EXPECT_TRUE(at::allclose(batched_product(a, b), want, 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(batched_product_nt(a, b.transpose(1, 2)), want, 1e-5, 1e-6));
}

// Linear in either factor: off by rounding alone, ε·60/0.5.
TEST(BatchedProduct, GradientsMatchFiniteDifferences) {
  const at::Tensor a = random_tensor({4, 3, 7}, 1), b = random_tensor({4, 7, 5}, 2);
  const at::Tensor t = b.transpose(1, 2).contiguous();
  const auto check = [](const auto& f, const at::Tensor& x) {
    expect_gradient_matches(f, x, 0.5, 2e-5);
  };
  check([&](const at::Tensor& x) { return batched_product(x, b); }, a);
  check([&](const at::Tensor& x) { return batched_product(a, x); }, b);
  check([&](const at::Tensor& x) { return batched_product_nt(x, t); }, a);
  check([&](const at::Tensor& x) { return batched_product_nt(a, x); }, t);
}

TEST(BatchedProduct, BitsDoNotDependOnThreads) {
  const at::Tensor a = random_tensor({3, 300, 70}, 1), b = random_tensor({3, 70, 65}, 2);
  const auto run = [&] { return batched_product(a, b); };
  EXPECT_TRUE(with_threads(1, run).equal(with_threads(4, run)));
}

TEST(BatchedProduct, RefusesSizesThatDiffer) {
  EXPECT_THROW(batched_product(at::zeros({2, 3, 4}), at::zeros({2, 5, 4})), UsageError);
  EXPECT_THROW(batched_product(at::zeros({2, 3, 4}), at::zeros({3, 4, 4})), UsageError);
  EXPECT_THROW(batched_product_nt(at::zeros({2, 3, 4}), at::zeros({2, 4, 5})), UsageError);
}

}  // namespace
}  // namespace emgnn
