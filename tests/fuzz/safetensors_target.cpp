// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/safetensors.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const emgnn::TensorArchive archive = emgnn::decode_tensors(bytes, "input");
    // What can be read can be written, and comes back the same.
    const emgnn::TensorArchive again =
        emgnn::decode_tensors(emgnn::encode_tensors(archive), "again");
    if (again.tensors != archive.tensors) __builtin_trap();
  } catch (const emgnn::DataError&) {
  }
  return 0;
}
