// SPDX-License-Identifier: Apache-2.0
// What holds for every source file of the project.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "paths.h"
#include "structure/functions.h"
#include "structure/sources.h"

namespace emgnn::testing {
namespace {

// A file may include its own room and those before it.
constexpr std::array<std::string_view, 13> kRooms = {
    "base",  "graph", "kernels", "formats", "data",   "space", "models",
    "learn", "em",    "methods", "run",     "report", "cli"};

constexpr int64_t kMaxFileLines = 400, kMaxFunctionLines = 60;

// Functions that only list things, one after the other.
const std::set<std::string> kTables = {
    "src/emgnn/data/known_datasets.cpp make_table",
    "src/emgnn/formats/pickle_parser.cpp step",  // one case per opcode
};

// The position in kRooms, or its size.
size_t rank(std::string_view room) {
  return static_cast<size_t>(std::find(kRooms.begin(), kRooms.end(), room) - kRooms.begin());
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

bool of_libtorch(std::string_view header) {
  return starts_with_any(header, {"ATen/", "torch/", "c10/", "caffe2/"});
}

bool of_rdkit(std::string_view header) {
  return starts_with_any(header, {"GraphMol/", "RDGeneral/", "Geometry/", "ForceField/",
                                  "DistGeom/", "DataStructs/", "rdkit/", "boost/"});
}

// How a file of ours comes to include LibTorch, directly or through our headers.
class LibTorchSearch {
 public:
  explicit LibTorchSearch(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files)
      includes_[file.path.substr(std::string_view("src/").size())] = includes_of(file.text);
  }

  bool knows(const std::string& file) const { return includes_.contains(file); }

  // "a.cpp > b.h > ATen/ATen.h"; empty: it does not.
  std::string path_to_libtorch(const std::string& file) const {
    std::set<std::string> seen;
    return search(file, seen);
  }

 private:
  std::string search(const std::string& file, std::set<std::string>& seen) const {
    const auto found = includes_.find(file);
    if (found == includes_.end() || !seen.insert(file).second) return "";
    for (const Include& include : found->second) {
      if (of_libtorch(include.header)) return file + " > " + include.header;
      const std::string rest = search(include.header, seen);
      if (!rest.empty()) return file + " > " + rest;
    }
    return "";
  }

  std::map<std::string, std::vector<Include>> includes_;  // by "emgnn/room/file"
};

const std::vector<SourceFile>& library() {
  static const std::vector<SourceFile> files = read_sources(kSourceDir, {"src/emgnn"});
  return files;
}

std::string place(const SourceFile& file, int64_t line) {
  return file.path + ":" + std::to_string(line) + ": ";
}

TEST(Structure, AllOfTheLibraryIsLookedAt) {
  ASSERT_GT(library().size(), 100U);
  for (const SourceFile& file : library())
    EXPECT_LT(rank(file.room()), kRooms.size()) << file.path << ": its room is not in kRooms";
}

TEST(Structure, IncludesPointOneWay) {
  size_t num_checked = 0;
  for (const SourceFile& file : library()) {
    for (const Include& include : includes_of(file.text)) {
      const std::string_view room = room_of_header(include.header);
      if (room.empty()) continue;
      ++num_checked;
      EXPECT_LE(rank(room), rank(file.room()))
          << place(file, include.line) << file.room() << " may not include " << include.header;
    }
  }
  EXPECT_GT(num_checked, 300U);
}

TEST(Structure, WhatTheProgramIsLinkedWithIsFreeOfLibTorch) {
  const LibTorchSearch search(library());
  const std::string list = read_text(kSourceDir, "src/emgnn/CMakeLists.txt");
  const std::vector<std::string> plain = listed_sources(list, "EMGNN_PLAIN_SOURCES");
  EXPECT_GT(plain.size(), 100U);
  for (const std::string& source : plain) {
    EXPECT_TRUE(search.knows("emgnn/" + source)) << source;
    EXPECT_EQ(search.path_to_libtorch("emgnn/" + source), "");
  }
  for (const SourceFile& file : library()) {
    const std::string header = file.path.substr(std::string_view("src/").size());
    if (file.room() != "cli") continue;
    EXPECT_EQ(search.path_to_libtorch(header), "");
  }
}

TEST(Structure, TheSearchForLibTorchFindsWhatIncludesIt) {
  const LibTorchSearch search(library());
  EXPECT_NE(search.path_to_libtorch("emgnn/space/mixture.cpp"), "");
  EXPECT_NE(search.path_to_libtorch("emgnn/run/fit.cpp"), "");  // through other headers
}

// rdkit_parts.h is what those files share.
TEST(Structure, OnlyRdkitFilesOfDataIncludeRdkit) {
  size_t num_found = 0;
  for (const SourceFile& file : library()) {
    const bool may = file.room() == "data" && file.name().starts_with("rdkit_") &&
                     (file.name().ends_with(".cpp") || file.name() == "rdkit_parts.h");
    for (const Include& include : includes_of(file.text)) {
      if (!of_rdkit(include.header) && include.header != "emgnn/data/rdkit_parts.h") continue;
      ++num_found;
      EXPECT_TRUE(may) << place(file, include.line) << include.header;
    }
  }
  EXPECT_GT(num_found, 0U);
}

TEST(Structure, FilesAndFunctionsAreShort) {
  size_t num_functions = 0;
  std::set<std::string> long_tables;
  for (const SourceFile& file : read_sources(kSourceDir, {"src", "tests", "bench", "examples"})) {
    EXPECT_LE(num_lines(file.text), kMaxFileLines) << file.path;
    for (const FoundFunction& function : functions_of(file.text)) {
      ++num_functions;
      const std::string name = file.path + " " + function.name;
      if (function.num_lines > kMaxFunctionLines && kTables.contains(name)) {
        long_tables.insert(name);
        continue;
      }
      EXPECT_LE(function.num_lines, kMaxFunctionLines)
          << place(file, function.line) << function.name;
    }
  }
  EXPECT_GT(num_functions, 1000U);
  EXPECT_EQ(long_tables, kTables) << "an exception that is no longer needed";
}

}  // namespace
}  // namespace emgnn::testing
