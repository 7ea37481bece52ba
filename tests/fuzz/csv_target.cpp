// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/csv.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char separator : {',', '\t'}) {
    try {
      emgnn::CsvTable table(text, "input", separator);
      while (table.next()) {
        if (table.field(0).size() % 2 == 0) table.row().number(0, "a");
      }
    } catch (const emgnn::DataError&) {
    }
    try {
      emgnn::CsvReader reader(text, "input", separator);
      size_t total = 0;
      while (reader.next()) {
        for (const std::string_view field : reader.fields()) total += field.size();
      }
      if (total > text.size()) __builtin_trap();  // fields cannot hold more than the text
    } catch (const emgnn::DataError&) {
    }
  }
  return 0;
}
