// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/run/config_text.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<emgnn::Assignment> read;
  try {
    read = emgnn::parse_assignments(text, "input", "gcn");
  } catch (const emgnn::UsageError&) {
    return 0;
  }
  // Whatever text a file can say comes back from a configuration that is written.
  std::vector<emgnn::ConfigEntry> entries;
  std::map<std::string, std::string> expected;
  for (const emgnn::Assignment& assignment : read) {
    if (assignment.where.empty() || assignment.toml_type.empty()) __builtin_trap();
    const std::string key = fmt::format("section.key{}", entries.size());
    entries.push_back({.key = key, .help = "help", .value = assignment.value});
    expected[key] = assignment.value;
  }
  std::map<std::string, std::string> back;
  for (const emgnn::Assignment& assignment :
       emgnn::parse_assignments(emgnn::to_toml(entries), "output", "gcn"))
    back[assignment.key] = assignment.value;
  if (back != expected) __builtin_trap();
  return 0;
}
