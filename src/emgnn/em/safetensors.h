// SPDX-License-Identifier: Apache-2.0
// The safetensors format: a JSON header with names, types and shapes, then the numbers,
// little-endian.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>

namespace emgnn {

// The entry of the metadata with the checksum of everything else.
inline constexpr const char* kTensorChecksum = "crc32";

struct TensorFile {
  std::map<std::string, at::Tensor> tensors;  // float32, float64 or int64, on the CPU
  std::map<std::string, std::string> metadata;
};

// The bytes of the file, a function of the content alone; a checksum is added to the metadata.
// UsageError for another type of number.
std::string encode_safetensors(const TensorFile& file);

// Nothing in the bytes is trusted: DataError with `name`, the file's name, when they are not what
// the format allows or the checksum, if there is one, does not match.
TensorFile decode_safetensors(std::string_view bytes, const std::string& name);

}  // namespace emgnn
