// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/formats/ndarray.h>

namespace emgnn {
namespace {

// No graph here comes near this many rows; without a bound a forged shape alone could ask for
// gigabytes.
constexpr int64_t kMaxUnbackedRows = 50'000'000;

}  // namespace

Csr to_csr(const SparseMatrix& matrix, const std::string& where) {
  const int64_t outer = matrix.by_column ? matrix.num_cols : matrix.num_rows;
  const int64_t inner = matrix.by_column ? matrix.num_rows : matrix.num_cols;
  const std::vector<int32_t> indptr = to_int32(matrix.indptr, where + ": indptr");
  const std::vector<int32_t> indices = to_int32(matrix.indices, where + ": indices");
  const std::vector<float> data = to_float(matrix.data, where + ": data");
  if (outer < 0 || inner < 0 || inner > kMaxUnbackedRows ||
      static_cast<int64_t>(indptr.size()) != outer + 1 || indices.size() != data.size()) {
    throw DataError(fmt::format(
        "{}: a {} x {} sparse matrix cannot have {} offsets, {} indices and {} values", where,
        matrix.num_rows, matrix.num_cols, indptr.size(), indices.size(), data.size()));
  }
  if (indptr.front() != 0 || !std::is_sorted(indptr.begin(), indptr.end()) ||
      static_cast<size_t>(indptr.back()) != indices.size()) {
    throw DataError(fmt::format("{}: indptr does not rise from 0 to {}", where, indices.size()));
  }
  Coo coo;
  for (int64_t o = 0; o < outer; ++o) {
    for (int32_t k = indptr[static_cast<size_t>(o)]; k < indptr[static_cast<size_t>(o) + 1]; ++k) {
      const auto entry = static_cast<size_t>(k);
      if (indices[entry] < 0 || indices[entry] >= inner) {
        throw DataError(
            fmt::format("{}: index {} is outside 0..{}", where, indices[entry], inner - 1));
      }
      if (data[entry] == 0.0F) continue;
      const auto at = static_cast<int32_t>(o);
      coo.row.push_back(matrix.by_column ? indices[entry] : at);
      coo.col.push_back(matrix.by_column ? at : indices[entry]);
      coo.val.push_back(data[entry]);
    }
  }
  Csr csr = csr_from_coo(static_cast<int32_t>(matrix.num_rows),
                         static_cast<int32_t>(matrix.num_cols), coo, Duplicates::kKeepFirst);
  if (csr.col.size() != coo.col.size()) {
    throw DataError(
        fmt::format("{}: {} positions are stored twice", where, coo.col.size() - csr.col.size()));
  }
  drop_unit_values(csr);
  return csr;
}

void drop_unit_values(Csr& matrix) {
  if (std::all_of(matrix.val.begin(), matrix.val.end(), [](float v) { return v == 1.0F; })) {
    matrix.val = {};
  }
}

}  // namespace emgnn
