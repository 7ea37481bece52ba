// SPDX-License-Identifier: Apache-2.0
// Parts of the program that are loaded when they are first needed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace emgnn {

// Where a module of this build may be: beside the library or program that holds this code, in lib/
// and ../lib/ from there, then on the loader's path.
std::vector<std::filesystem::path> module_files(const std::filesystem::path& name);

struct OpenedModule {
  std::filesystem::path file;  // the one that was tried
  void* symbol = nullptr;      // null: it failed
  std::string reason;          // then why, one line without the file's name
};

// Opens the first of the files that exists, or the last, and looks the symbol up. It is never
// closed: the statics of what it loads would have to survive that.
OpenedModule open_module(const std::vector<std::filesystem::path>& files, const char* symbol);

}  // namespace emgnn
