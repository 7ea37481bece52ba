// SPDX-License-Identifier: Apache-2.0
// The project's own source files, read as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn::testing {

struct SourceFile {
  std::string path;  // from the root of the project: "src/emgnn/base/error.h"
  std::string text;

  // "base" of a file in src/emgnn/base; empty elsewhere.
  std::string_view room() const;
  std::string_view name() const;  // "error.h"
};

// All .h, .cpp, .inl and .cu files of these directories, in the order of their paths.
std::vector<SourceFile> read_sources(const std::string& root,
                                     const std::vector<std::string>& directories);

std::string read_text(const std::string& root, const std::string& path);

// The .cpp files that set() and list(APPEND) of a CMake file put into a variable; generated ones,
// which lie elsewhere, are left out.
std::vector<std::string> listed_sources(std::string_view cmake, const std::string& variable);

struct Include {
  int64_t line;
  std::string header;  // "emgnn/base/error.h", "vector"
};
std::vector<Include> includes_of(std::string_view text);

// "base" of "emgnn/base/error.h"; empty for headers of others.
std::string_view room_of_header(std::string_view header);

int64_t num_lines(std::string_view text);

}  // namespace emgnn::testing
