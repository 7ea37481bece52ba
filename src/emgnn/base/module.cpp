// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/module.h>

#include <dlfcn.h>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;

// "PATH: cannot open shared object file: ..." without the path.
std::string loader_reason(const fs::path& file) {
  const char* text = dlerror();
  std::string reason = text != nullptr ? text : "no reason given";
  if (const std::string prefix = file.string() + ": "; reason.starts_with(prefix))
    reason.erase(0, prefix.size());
  return reason.substr(0, reason.find('\n'));
}

// The folder of the library or program that holds this code. For a program the loader knows no
// more than argv[0], which need not be a path.
fs::path own_folder() {
  Dl_info info{};
  std::error_code none;
  if (dladdr(reinterpret_cast<void*>(&own_folder), &info) != 0 && info.dli_fname != nullptr &&
      fs::path(info.dli_fname).is_absolute())
    return fs::canonical(info.dli_fname, none).parent_path();
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

}  // namespace

std::vector<fs::path> module_files(const fs::path& name) {
  const fs::path here = own_folder();
  return {here / name, here / "lib" / name, here / ".." / "lib" / name, name};
}

OpenedModule open_module(const std::vector<fs::path>& files, const char* symbol) {
  EMGNN_DCHECK(!files.empty());
  OpenedModule out;
  for (const fs::path& candidate : files) {
    std::error_code none;
    out.file = candidate;
    if (fs::exists(candidate, none)) break;
  }
  void* handle = dlopen(out.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) out.symbol = dlsym(handle, symbol);
  if (out.symbol == nullptr) out.reason = loader_reason(out.file);
  return out;
}

}  // namespace emgnn
