// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/threads.h>

#include <omp.h>

#include <algorithm>
#include <exception>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {
// Ranges a thread takes at a time: several per thread, so that uneven rows balance out.
constexpr int64_t kRangesPerThread = 8;

int& thread_setting() {
  static int n = std::max(1, omp_get_num_procs());
  return n;
}
}  // namespace

int num_threads() { return thread_setting(); }

void set_num_threads(int n) {
  EMGNN_CHECK(n >= 1, "the number of threads must be at least 1", n);
  thread_setting() = n;
}

void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  EMGNN_DCHECK(grain >= 1);
  if (n <= 0) return;
  const int threads = num_threads();
  if (threads == 1 || n <= grain || omp_in_parallel() != 0) {
    body(0, n);
    return;
  }
  const int64_t num_grains = (n + grain - 1) / grain;
  const int64_t grains_per_range = std::max<int64_t>(1, num_grains / (threads * kRangesPerThread));
  const int64_t range = grains_per_range * grain;
  const int64_t num_ranges = (n + range - 1) / range;
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int64_t r = 0; r < num_ranges; ++r) {
    try {
      body(r * range, std::min(n, (r + 1) * range));
    } catch (...) {
#pragma omp critical(emgnn_parallel_for)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace emgnn
