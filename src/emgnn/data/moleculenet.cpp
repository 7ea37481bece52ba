// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>
#include <emgnn/data/loaders.h>

namespace emgnn {

MoleculeRows load_moleculenet(const SourceFiles& files, const std::string& path,
                              const MoleculeColumns& columns, const std::string& task) {
  const SourceFile file = files.read(path);
  MoleculeRows rows = read_molecule_csv(file.bytes, file.path, columns, task);
  if (!file.bytes.ends_with('\n'))
    throw DataError(fmt::format("{}: expected a line feed at the end of the file", file.path));
  return rows;
}

}  // namespace emgnn
