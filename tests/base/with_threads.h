// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/base/context.h>

namespace emgnn {

// What body() returns when its loops have n threads.
template <class Body>
auto with_threads(int n, const Body& body) {
  const Context::Scope scope{Context(n)};
  return body();
}

}  // namespace emgnn
