// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/formats/graphml.h>

namespace {

void check(const emgnn::Graphml& graphml, const std::vector<emgnn::Graphml::Value>& values,
           bool of_nodes) {
  for (const emgnn::Graphml::Value& value : values) {
    if (value.key >= graphml.keys.size()) __builtin_trap();
    const emgnn::Graphml::Key& key = graphml.keys[value.key];
    if (!(of_nodes ? key.of_nodes() : key.of_edges())) __builtin_trap();
    if (value.at.line < 1 || value.at.column < 1) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const emgnn::Graphml graphml = emgnn::parse_graphml(text, "input");
    for (const emgnn::Graphml::Node& node : graphml.nodes) check(graphml, node.values, true);
    for (const emgnn::Graphml::Edge& edge : graphml.edges) check(graphml, edge.values, false);
  } catch (const emgnn::DataError&) {
  }
  return 0;
}
