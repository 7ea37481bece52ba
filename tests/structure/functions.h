// SPDX-License-Identifier: Apache-2.0
// Finds the functions of a C++ file by its braces, well enough to measure how long they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn::testing {

struct FoundFunction {
  std::string name;   // the word before the first parenthesis; of a test, TEST
  int64_t line;       // of the first word of its signature
  int64_t num_lines;  // to the closing brace
};

// Functions at the level of a file, a namespace or a class, not those within functions. Braces
// behind '=' or without a parenthesis before them are tables and not counted.
std::vector<FoundFunction> functions_of(std::string_view text);

// The text with comments, literals and preprocessor lines blanked; lines keep their numbers.
std::string code_only(std::string_view text);

}  // namespace emgnn::testing
