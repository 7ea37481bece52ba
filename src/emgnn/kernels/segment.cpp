// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/segment.h>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

void segment_max(const CsrView& a, int64_t width, const float* in, float* out) {
  constexpr int64_t kGrain = 16;  // segments
  const auto kernel = range_kernels().segment_max;
  parallel_for(a.num_rows, kGrain, [&](int64_t begin, int64_t end) {
    kernel(a, width, in, out, {begin, end});
  });
}

void segment_max_backward(const CsrView& a, int64_t width, const float* in, const float* out,
                          const float* grad_out, float* grad_in) {
  // Segments may share rows: threads take columns.
  constexpr int64_t kGrain = 16;
  parallel_for(width, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t s = 0; s < a.num_rows; ++s) {
      for (int64_t j = begin; j < end; ++j) {
        int32_t e = a.rowptr[s];
        while (in[a.col[e] * width + j] != out[s * width + j] && e + 1 < a.rowptr[s + 1]) ++e;
        grad_in[a.col[e] * width + j] += grad_out[s * width + j];
      }
    }
  });
}

}  // namespace emgnn::kernels
