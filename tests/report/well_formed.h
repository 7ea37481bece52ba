// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace emgnn::testing {

// Whether a text is one XML element in which every tag is closed in its turn, attributes are quoted
// and "&" begins an entity that XML knows.
inline ::testing::AssertionResult is_well_formed(const std::string& xml) {
  const auto fail = [&](const char* what, size_t at) {
    return ::testing::AssertionFailure() << what << " at: " << xml.substr(at, 80);
  };
  std::vector<std::string> open;
  bool ended = false;
  for (size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;" &&
          !entity.starts_with("&#"))
        return fail("unknown entity", at);
    }
    if (xml[at] != '<') {
      if (open.empty() && xml[at] != '\n') return fail("text outside", at);
      ++at;
      continue;
    }
    if (ended) return fail("a second element", at);
    const bool closes = xml.compare(at, 2, "</") == 0;
    const size_t name = at + (closes ? 2 : 1);
    const size_t name_end = xml.find_first_of(" />\n", name);
    if (name_end == std::string::npos) return fail("no end of a tag", at);
    size_t end = name_end;
    for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return fail("\"<\" in a tag", at);
      if (xml[end] == '=' && !quoted && xml[end + 1] != '"') return fail("no quotes", at);
    }
    const std::string tag = xml.substr(name, name_end - name);
    if (closes) {
      if (open.empty() || open.back() != tag) return fail("closes what is not open", at);
      open.pop_back();
      ended = open.empty();
    } else if (xml[end - 1] != '/') {
      open.push_back(tag);
    }
    at = end + 1;
  }
  if (!ended) return ::testing::AssertionFailure() << "not closed: " << open.size();
  return ::testing::AssertionSuccess();
}

}  // namespace emgnn::testing
