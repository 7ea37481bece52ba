// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/npy.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const emgnn::NdArray array = emgnn::parse_npy(bytes, "input");
    if (array.shape.size() == 2) emgnn::dense_to_csr(array, "input");
    emgnn::to_int32(array, "input");
  } catch (const emgnn::DataError&) {
  }
  try {
    emgnn::to_csr(emgnn::sparse_from_npz(emgnn::Npz(bytes, "input")), "input");
  } catch (const emgnn::DataError&) {
  }
  return 0;
}
