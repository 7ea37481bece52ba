// SPDX-License-Identifier: Apache-2.0
// What libemgnn-chem.so and its one reader, chemistry.cpp, agree on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <emgnn/base/version.h>
#include <emgnn/data/chemistry.h>

namespace emgnn {

// C++ types cross the boundary as they are, so both sides must come from the same build. `build`
// stays the first member: it is read before anything else is believed.
struct ChemistryModule {
  const char* build;
  Chemistry functions;
};

// "0.1.0 1a2b3c4, GCC 12.2.0, 320/40/24": version, commit, compiler, and the sizes of what crosses,
// which tell trees apart that differ in more than their commit. Inline: each side speaks for
// itself.
inline std::string chemistry_build() {
  return version() + " " + version_commit() + ", " + __VERSION__ + ", " +
         std::to_string(sizeof(FeaturisedMolecule)) + "/" + std::to_string(sizeof(MoleculeInput)) +
         "/" + std::to_string(sizeof(ConformerOptions));
}

// The first of `files` that is there, else the last, which may be a bare name for the loader to
// find. DataError when it cannot be opened or is of another build.
Chemistry open_chemistry(const std::vector<std::filesystem::path>& files);

}  // namespace emgnn

// The one symbol of the module.
extern "C" __attribute__((visibility("default"))) const emgnn::ChemistryModule*
emgnn_chemistry_module();
