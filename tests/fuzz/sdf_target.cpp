// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/sdf.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    size_t total = 0;
    int64_t line = 0;
    for (const emgnn::SdfRecord& record : emgnn::read_sdf(text, "input")) {
      if (record.line <= line) __builtin_trap();  // records come in the order of the file
      line = record.line;
      total += record.block.size();
      for (const auto& [name, value] : record.properties) total += name.size() + value.size();
      record.find("y");
    }
    if (total > text.size()) __builtin_trap();  // the pieces are parts of the text, each once
  } catch (const emgnn::DataError&) {
  }
  return 0;
}
