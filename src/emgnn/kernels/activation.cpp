// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/activation.h>

#include <algorithm>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

namespace {

constexpr int64_t kGrain = 32 * kElementTile;

void check(const ActivationSpec& spec) {
  EMGNN_CHECK(spec.drop >= 0.0F && spec.drop < 1.0F, "drop must be in [0, 1)", spec.drop);
}

}  // namespace

void bias_activation(const ActivationSpec& spec, int64_t num_rows, int64_t width, const float* x,
                     const float* bias, float* y) {
  check(spec);
  const auto kernel = range_kernels().activation;
  parallel_for(num_rows * width, kGrain, [&](int64_t begin, int64_t end) {
    kernel(spec, {width, bias}, x, y, {begin, end});
  });
}

void bias_activation_backward(const ActivationSpec& spec, int64_t num_rows, int64_t width,
                              const float* x, const float* bias, const float* grad_y,
                              float* grad_x) {
  check(spec);
  const auto kernel = range_kernels().activation_backward;
  parallel_for(num_rows * width, kGrain, [&](int64_t begin, int64_t end) {
    kernel(spec, {width, bias}, x, grad_y, grad_x, {begin, end});
  });
}

void column_sums(int64_t num_rows, int64_t width, const float* x, float* sum) {
  const auto kernel = range_kernels().column_sums;
  // The chunks depend on the shape alone; their sums are added in order.
  const int64_t chunk = std::max<int64_t>(256, (num_rows + 63) / 64);
  const int64_t num_chunks = (num_rows + chunk - 1) / chunk;
  std::vector<double> partial(static_cast<size_t>(num_chunks * width), 0.0);
  parallel_for(num_chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      kernel(width, x, partial.data() + c * width,
             {c * chunk, std::min(num_rows, (c + 1) * chunk)});
  });
  for (int64_t j = 0; j < width; ++j) {
    double total = 0.0;
    for (int64_t c = 0; c < num_chunks; ++c) total += partial[static_cast<size_t>(c * width + j)];
    sum[j] = static_cast<float>(total);
  }
}

}  // namespace emgnn::kernels
