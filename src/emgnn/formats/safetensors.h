// SPDX-License-Identifier: Apache-2.0
// The safetensors format: a JSON header with names, types and shapes, then the numbers,
// little-endian.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

// The numbers of one tensor, row by row. T below is double, int64_t or float.
struct TensorData {
  enum class Type { kF64, kI64, kF32 };

  Type type = Type::kF64;
  std::vector<int64_t> shape;  // empty: a single number
  std::string bytes;           // little-endian, as many as type and shape ask for

  template <class T>
  static TensorData from(std::span<const T> values, std::vector<int64_t> shape);

  // UsageError when the numbers are of another type.
  template <class T>
  std::vector<T> values() const;

  bool operator==(const TensorData&) const = default;
};

struct TensorArchive {
  std::map<std::string, TensorData> tensors;
  std::map<std::string, std::string> metadata;
};

// The entry of the metadata with the checksum of everything else.
inline constexpr const char* kChecksumEntry = "crc32";

// The bytes of the file, a function of the content alone; the checksum is added to the metadata.
// UsageError when a tensor's bytes do not fit its shape, or a name or text is not UTF-8.
std::string encode_tensors(const TensorArchive& archive);

// Nothing in the bytes is trusted: DataError with `name`, the file's name, when they are not what
// the format allows or the checksum, if there is one, does not match.
TensorArchive decode_tensors(std::string_view bytes, const std::string& name);

}  // namespace emgnn
