// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/graph/csr.h>

namespace emgnn {

inline bool same(const Csr& a, const Csr& b) {
  return a.num_rows == b.num_rows && a.num_cols == b.num_cols && a.rowptr == b.rowptr &&
         a.col == b.col && a.val == b.val;
}

}  // namespace emgnn
