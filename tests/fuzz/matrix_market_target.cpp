// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/matrix_market.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int32_t kMaxRows = 1 << 16;  // a CSR matrix takes memory for every row
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const emgnn::MatrixMarket matrix = emgnn::parse_matrix_market(text, "input");
    if (matrix.num_rows > kMaxRows) return 0;
    const emgnn::Csr csr = emgnn::csr_from_coo(matrix.num_rows, matrix.num_cols, matrix.entries,
                                               emgnn::Duplicates::kKeepFirst);
    // What is written comes back the same.
    const emgnn::MatrixMarket again =
        emgnn::parse_matrix_market(emgnn::write_matrix_market(csr), "again");
    if (again.entries.col != csr.col || again.entries.val != csr.val) __builtin_trap();
  } catch (const emgnn::DataError&) {
  }
  return 0;
}
