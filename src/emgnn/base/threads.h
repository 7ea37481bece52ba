// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace emgnn {

// The number of threads of every parallel loop of emgnn; results never depend on it.
int num_threads();
void set_num_threads(int n);  // n >= 1

// Calls body(begin, end) on consecutive ranges that cover [0, n). The cut points are multiples of
// `grain`, so that a body may rely on whole grains; an exception of a body is rethrown here.
void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

}  // namespace emgnn
