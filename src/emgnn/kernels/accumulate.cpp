// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/accumulate.h>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

void accumulate(int64_t size, double weight, const float* x, double* sum) {
  const auto kernel = range_kernels().accumulate;
  parallel_for(size, 16384, [&](int64_t begin, int64_t end) {
    kernel(weight, x, sum, {begin, end});
  });
}

}  // namespace emgnn::kernels
