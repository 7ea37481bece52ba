// SPDX-License-Identifier: Apache-2.0
// Numpy arrays and scipy sparse matrices as views into the bytes of a pickle or .npy file, and what
// they become. `where` is the place named in errors: a file, or a file and a member.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/graph/csr.h>

namespace emgnn {

enum class DType : uint8_t { kBool, kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF32, kF64 };

// "i4" and '<' -> kI32. Only little-endian and one-byte types are known.
std::optional<DType> dtype_from_code(std::string_view code, char byte_order);
int64_t item_size(DType dtype);

struct NdArray {
  DType dtype = DType::kU8;
  std::vector<int64_t> shape;
  bool column_major = false;
  std::string_view bytes;  // not owned: lives as long as the source

  int64_t num_elements() const;
};

// Checks that shape and type describe exactly `bytes` (no overflow, no negative size).
NdArray make_ndarray(DType dtype, std::vector<int64_t> shape, bool column_major,
                     std::string_view bytes, const std::string& where);

// A one-dimensional array; a value that is not whole or does not fit is an error.
std::vector<int32_t> to_int32(const NdArray& array, const std::string& where);
std::vector<float> to_float(const NdArray& array, const std::string& where);

// A two-dimensional array, in row-major order.
std::vector<float> to_dense(const NdArray& array, const std::string& where);
std::vector<int32_t> to_int32_matrix(const NdArray& array, const std::string& where);
Csr dense_to_csr(const NdArray& array, const std::string& where);

// Rows of zeros with a single one -> the column of the one.
std::vector<int32_t> one_hot_to_class(const NdArray& array, const std::string& where);

struct SparseMatrix {
  bool by_column = false;  // csc: indptr runs over columns
  int64_t num_rows = 0, num_cols = 0;
  NdArray indptr, indices, data;
};

// Checks the structure; stored zeros vanish, a position stored twice is an error.
Csr to_csr(const SparseMatrix& matrix, const std::string& where);

// Forgets the values of a matrix when all of them are one.
void drop_unit_values(Csr& matrix);

}  // namespace emgnn
