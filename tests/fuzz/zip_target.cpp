// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/zip.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const emgnn::ZipReader zip({reinterpret_cast<const char*>(data), size}, "input",
                               {1 << 20, 100});
    for (const std::string& name : zip.names()) {
      try {
        zip.read(name);
      } catch (const emgnn::DataError&) {
      }
    }
  } catch (const emgnn::DataError&) {
  }
  return 0;
}
