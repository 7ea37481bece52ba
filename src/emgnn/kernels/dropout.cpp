// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/dropout.h>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

namespace {
constexpr int64_t kGrain = 32 * kElementTile;
}  // namespace

void dropout_factors(const ActivationSpec& spec, int64_t size, float* factor) {
  EMGNN_CHECK(spec.drop >= 0.0F && spec.drop < 1.0F, "drop must be in [0, 1)", spec.drop);
  const auto kernel = range_kernels().dropout;
  parallel_for(size, kGrain, [&](int64_t begin, int64_t end) {
    kernel(spec, factor, {begin, end});
  });
}

void multiply(int64_t size, const float* x, const float* factor, float* y) {
  const auto kernel = range_kernels().multiply;
  parallel_for(size, kGrain, [&](int64_t begin, int64_t end) {
    kernel(x, factor, y, {begin, end});
  });
}

}  // namespace emgnn::kernels
