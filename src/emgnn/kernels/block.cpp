// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/block.h>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

void block_spmm(const BlockView& a, int64_t width, const float* in, float* out) {
  constexpr int64_t kGrain = 64;  // rows
  const auto kernel = range_kernels().block;
  parallel_for(a.num_rows, kGrain, [&](int64_t begin, int64_t end) {
    kernel(a, width, in, out, {begin, end});
  });
}

}  // namespace emgnn::kernels
