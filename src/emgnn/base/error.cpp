// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>

namespace emgnn::detail {

void throw_internal(const char* condition, const char* file, int line) {
  throw InternalError(fmt::format("broken invariant: {} ({}:{})", condition, file, line));
}

}  // namespace emgnn::detail
