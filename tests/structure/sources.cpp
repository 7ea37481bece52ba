// SPDX-License-Identifier: Apache-2.0
#include "structure/sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace emgnn::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRooms = "src/emgnn/";

std::string_view up_to(std::string_view text, char end) { return text.substr(0, text.find(end)); }

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".inl" || extension == ".cu";
}

}  // namespace

std::string_view SourceFile::room() const {
  if (!path.starts_with(kRooms)) return {};
  return up_to(std::string_view(path).substr(kRooms.size()), '/');
}

std::string_view SourceFile::name() const {
  return std::string_view(path).substr(path.rfind('/') + 1);
}

std::vector<SourceFile> read_sources(const std::string& root,
                                     const std::vector<std::string>& directories) {
  std::vector<SourceFile> files;
  for (const std::string& directory : directories) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / directory)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const std::string path = fs::relative(entry.path(), root).generic_string();
      files.push_back({path, read_text(root, path)});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string read_text(const std::string& root, const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(fs::path(root) / path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> listed_sources(std::string_view cmake, const std::string& variable) {
  std::vector<std::string> found;
  for (const std::string& start : {"set(" + variable, "list(APPEND " + variable}) {
    for (size_t at = cmake.find(start); at != std::string_view::npos; at = cmake.find(start, at)) {
      at += start.size();
      std::istringstream words{std::string(up_to(cmake.substr(at), ')'))};
      for (std::string word; words >> word;)
        if (word.ends_with(".cpp") && !word.starts_with("$")) found.push_back(word);
    }
  }
  return found;
}

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> found;
  for (int64_t line = 1; !text.empty(); ++line) {
    std::string_view rest = up_to(text, '\n');
    text.remove_prefix(std::min(text.size(), rest.size() + 1));
    const auto skip_blanks = [&] {
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t")));
    };
    skip_blanks();
    if (!rest.starts_with('#')) continue;
    rest.remove_prefix(1);
    skip_blanks();
    if (!rest.starts_with("include")) continue;
    rest.remove_prefix(std::string_view("include").size());
    skip_blanks();
    if (rest.empty() || (rest[0] != '<' && rest[0] != '"')) continue;
    found.push_back({line, std::string(up_to(rest.substr(1), rest[0] == '<' ? '>' : '"'))});
  }
  return found;
}

std::string_view room_of_header(std::string_view header) {
  constexpr std::string_view kOurs = "emgnn/";
  if (!header.starts_with(kOurs) || header.find('/', kOurs.size()) == std::string_view::npos)
    return {};
  return up_to(header.substr(kOurs.size()), '/');
}

int64_t num_lines(std::string_view text) {
  const bool open = !text.empty() && !text.ends_with('\n');
  return std::count(text.begin(), text.end(), '\n') + (open ? 1 : 0);
}

}  // namespace emgnn::testing
