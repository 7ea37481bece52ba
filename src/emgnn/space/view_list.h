// SPDX-License-Identifier: Apache-2.0
// The lists that space.views is written in.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace emgnn {

// The parts of `text` between the characters `at`, without spaces around them.
inline std::vector<std::string> split_list(const std::string& text, char at) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(at, begin), text.size());
    const size_t first = text.find_first_not_of(' ', begin);
    const size_t last = text.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    out.push_back(first >= end ? "" : text.substr(first, last - first + 1));
    begin = end + 1;
  }
  return out;
}

}  // namespace emgnn
