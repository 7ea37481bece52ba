// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/ndarray.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr std::pair<std::string_view, DType> kDTypes[] = {
    {"b1", DType::kBool}, {"i1", DType::kI8},  {"u1", DType::kU8},  {"i2", DType::kI16},
    {"u2", DType::kU16},  {"i4", DType::kI32}, {"u4", DType::kU32}, {"i8", DType::kI64},
    {"u8", DType::kU64},  {"f4", DType::kF32}, {"f8", DType::kF64}};

// Calls f(element type's zero) for the type of the array.
template <class F>
decltype(auto) with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kI8:
      return f(int8_t{});
    case DType::kI16:
      return f(int16_t{});
    case DType::kU16:
      return f(uint16_t{});
    case DType::kI32:
      return f(int32_t{});
    case DType::kU32:
      return f(uint32_t{});
    case DType::kI64:
      return f(int64_t{});
    case DType::kU64:
      return f(uint64_t{});
    case DType::kF32:
      return f(float{});
    case DType::kF64:
      return f(double{});
    case DType::kBool:
    case DType::kU8:
      break;
  }
  return f(uint8_t{});
}

// The bytes of a pickle are not aligned.
template <class T>
T load(const char* bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
int32_t whole(T value, const std::string& where, int64_t index) {
  bool fits = false;
  if constexpr (std::is_integral_v<T>) {
    fits = std::in_range<int32_t>(value);
  } else {
    fits = value == std::floor(value) &&
           std::abs(static_cast<double>(value)) <= std::numeric_limits<int32_t>::max();
  }
  if (!fits) {
    throw DataError(fmt::format("{}: element {} is {}: expected a whole number of 32 bits", where,
                                index, value));
  }
  return static_cast<int32_t>(value);
}

void require_rank(const NdArray& array, size_t rank, const std::string& where) {
  if (array.shape.size() != rank) {
    throw DataError(fmt::format("{}: expected an array of {} dimension(s), found {}", where, rank,
                                array.shape.size()));
  }
}

struct MatrixShape {
  int32_t rows, cols;
};

MatrixShape matrix_shape(const NdArray& array, const std::string& where) {
  require_rank(array, 2, where);
  const int64_t rows = array.shape[0], cols = array.shape[1];
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (rows > kMax - 1 || cols > kMax - 1 || (rows > 0 && cols == 0)) {
    throw DataError(fmt::format("{}: a matrix of {} x {} is not supported", where, rows, cols));
  }
  return {static_cast<int32_t>(rows), static_cast<int32_t>(cols)};
}

// Calls f(row, col, value) in row-major order whatever the order in memory.
template <class T, class F>
void for_each_element(const NdArray& array, MatrixShape shape, F&& f) {
  const char* bytes = array.bytes.data();
  const int64_t row_stride = array.column_major ? 1 : shape.cols;
  const int64_t col_stride = array.column_major ? shape.rows : 1;
  for (int32_t r = 0; r < shape.rows; ++r) {
    for (int32_t c = 0; c < shape.cols; ++c) {
      f(r, c, load<T>(bytes, r * row_stride + c * col_stride));
    }
  }
}

float finite(double value, const std::string& where, int64_t row, int64_t col) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
    throw DataError(fmt::format("{}: row {}, column {}: {} is not a finite 32-bit number", where,
                                row, col, value));
  }
  return static_cast<float>(value);
}

}  // namespace

std::optional<DType> dtype_from_code(std::string_view code, char byte_order) {
  for (const auto& [name, dtype] : kDTypes) {
    if (name != code) continue;
    if (byte_order == '<' || (byte_order == '|' && item_size(dtype) == 1)) return dtype;
  }
  return std::nullopt;
}

int64_t item_size(DType dtype) {
  return with_type(dtype, [](auto zero) { return static_cast<int64_t>(sizeof(zero)); });
}

int64_t NdArray::num_elements() const {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;  // make_ndarray has checked the product
  return n;
}

NdArray make_ndarray(DType dtype, std::vector<int64_t> shape, bool column_major,
                     std::string_view bytes, const std::string& where) {
  if (shape.size() > 8) {
    throw DataError(
        fmt::format("{}: an array of {} dimensions is not supported", where, shape.size()));
  }
  int64_t total = item_size(dtype);
  bool overflow = false;
  for (const int64_t d : shape) overflow |= d < 0 || __builtin_mul_overflow(total, d, &total);
  if (overflow || static_cast<uint64_t>(total) != bytes.size()) {
    throw DataError(fmt::format(
        "{}: an array of shape ({}) with {} bytes an element does not fill the {} bytes stored",
        where, fmt::join(shape, ", "), item_size(dtype), bytes.size()));
  }
  return {dtype, std::move(shape), column_major, bytes};
}

std::vector<int32_t> to_int32(const NdArray& array, const std::string& where) {
  require_rank(array, 1, where);
  std::vector<int32_t> out(static_cast<size_t>(array.num_elements()));
  with_type(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < out.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      out[i] = whole<T>(load<T>(array.bytes.data(), index), where, index);
    }
  });
  return out;
}

std::vector<float> to_float(const NdArray& array, const std::string& where) {
  require_rank(array, 1, where);
  NdArray row = array;
  row.shape = {1, array.shape[0]};
  row.column_major = false;
  return array.shape[0] == 0 ? std::vector<float>{} : to_dense(row, where);
}

std::vector<float> to_dense(const NdArray& array, const std::string& where) {
  const MatrixShape shape = matrix_shape(array, where);
  std::vector<float> out;
  out.reserve(static_cast<size_t>(array.num_elements()));
  with_type(array.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(array, shape, [&](int32_t r, int32_t c, auto value) {
      out.push_back(finite(static_cast<double>(value), where, r, c));
    });
  });
  return out;
}

std::vector<int32_t> to_int32_matrix(const NdArray& array, const std::string& where) {
  const MatrixShape shape = matrix_shape(array, where);
  std::vector<int32_t> out;
  out.reserve(static_cast<size_t>(array.num_elements()));
  with_type(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element<T>(array, shape, [&](int32_t, int32_t, T value) {
      out.push_back(whole<T>(value, where, static_cast<int64_t>(out.size())));
    });
  });
  return out;
}

Csr dense_to_csr(const NdArray& array, const std::string& where) {
  const MatrixShape shape = matrix_shape(array, where);
  Csr csr;
  csr.num_rows = shape.rows;
  csr.num_cols = shape.cols;
  csr.rowptr.assign(static_cast<size_t>(shape.rows) + 1, 0);
  with_type(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element<T>(array, shape, [&](int32_t r, int32_t c, T value) {
      if (value == T{0}) return;
      csr.col.push_back(c);
      csr.val.push_back(finite(static_cast<double>(value), where, r, c));
      ++csr.rowptr[static_cast<size_t>(r) + 1];
    });
  });
  if (csr.col.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw DataError(fmt::format("{}: {} non-zero values are too many", where, csr.col.size()));
  }
  for (size_t r = 0; r + 1 < csr.rowptr.size(); ++r) csr.rowptr[r + 1] += csr.rowptr[r];
  drop_unit_values(csr);
  return csr;
}

std::vector<int32_t> one_hot_to_class(const NdArray& array, const std::string& where) {
  const Csr csr = dense_to_csr(array, where);
  for (int32_t r = 0; r < csr.num_rows; ++r) {
    const auto at = static_cast<size_t>(r);
    if (csr.rowptr[at + 1] - csr.rowptr[at] != 1 || csr.value(csr.rowptr[at]) != 1.0F) {
      throw DataError(fmt::format("{}: row {}: expected a single 1 among zeros", where, r));
    }
  }
  return csr.col.to_vector();
}

}  // namespace emgnn
