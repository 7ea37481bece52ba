// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <emgnn/graph/csr.h>

namespace emgnn {

struct MatrixMarket {
  int32_t num_rows = 0, num_cols = 0;
  Coo entries;  // from 0; of a symmetric matrix only what is stored; no values: all ones
  bool symmetric = false;
};

// "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric". Errors name file and
// line.
MatrixMarket parse_matrix_market(std::string_view text, const std::string& file);

std::string write_matrix_market(const Csr& matrix);  // general; pattern when it has no values

}  // namespace emgnn
