// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/shell_quoted.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace emgnn {

std::string shell_quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("-_./=:,+@%", c) != nullptr;
  });
  if (plain) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace emgnn
