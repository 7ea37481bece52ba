// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/chemistry.h>

#include <emgnn/base/error.h>
#include <emgnn/base/module.h>
#include <emgnn/data/chemistry_module.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSymbol = "emgnn_chemistry_module";

[[noreturn]] void refuse(const fs::path& file, std::string_view reason) {
  throw DataError(
      fmt::format("molecules need RDKit: {} cannot be loaded: {}", file.string(), reason));
}

}  // namespace

Chemistry open_chemistry(const std::vector<fs::path>& files) {
  EMGNN_DCHECK(!files.empty());
  using Entry = const ChemistryModule* (*)();
  const OpenedModule opened = open_module(files, kSymbol);
  const fs::path& file = opened.file;
  if (opened.symbol == nullptr) refuse(file, opened.reason);
  const auto entry = reinterpret_cast<Entry>(opened.symbol);
  const ChemistryModule* module = entry();
  if (const std::string build = chemistry_build(); module->build != build)
    refuse(file, fmt::format("it is of build {}, this is {}", module->build, build));
  return module->functions;
}

const Chemistry& chemistry() {
  // A failure is not kept: the next call tries again.
  static const Chemistry opened = [] {
    const fs::path name = EMGNN_CHEMISTRY_MODULE;
    if (name.empty())
      throw DataError("molecules need RDKit: this build was made without it (EMGNN_RDKIT=OFF)");
    return open_chemistry(module_files(name));
  }();
  return opened;
}

}  // namespace emgnn
