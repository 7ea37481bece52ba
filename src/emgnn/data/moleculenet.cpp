// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>
#include <emgnn/data/csv.h>
#include <emgnn/data/loaders.h>

namespace emgnn {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

}  // namespace

MoleculeTable load_molecule_table(const SourceFiles& files, const MoleculeLayout& layout) {
  const SourceFile file = files.read(layout.path);
  CsvTable table(file.bytes, file.path);
  const size_t smiles = table.require(layout.smiles_column),
               target = table.require(layout.target_column);
  MoleculeTable molecules;
  molecules.target_name = layout.target_column;
  while (table.next()) {
    const std::string_view text = trimmed(table.field(smiles));
    if (text.empty()) table.row().fail(smiles, layout.smiles_column, "expected a SMILES string");
    molecules.smiles.emplace_back(text);
    molecules.target.push_back(table.row().number(target, layout.target_column));
  }
  if (!file.bytes.ends_with('\n')) table.row().fail("expected a line feed at the end of the file");
  return molecules;
}

}  // namespace emgnn
