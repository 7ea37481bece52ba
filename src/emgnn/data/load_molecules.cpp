// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/load_molecules.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/data/known_datasets.h>
#include <emgnn/data/registry.h>
#include <emgnn/data/repeated_molecules.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

MoleculeRows read_file_of_user(const MoleculeRequest& request) {
  const std::string text = read_file(request.name);
  const MoleculeColumns& columns = request.options.columns;
  return lower_extension(request.name) == ".csv"
             ? read_molecule_csv(text, request.name, columns, request.task)
             : read_molecule_sdf(text, request.name, columns, request.task);
}

// Joins the rows with what became of each.
MoleculeTable assemble(MoleculeRows rows, FeaturisedMolecules featurised) {
  MoleculeTable table;
  table.molecules = std::move(featurised.molecules);
  table.rejects = std::move(rows.rejects);
  table.notes = std::move(rows.notes);
  std::vector<int64_t> kept;
  for (size_t i = 0; i < rows.input.size(); ++i) {
    if (!featurised.reject[i].empty()) {
      const bool is_smiles = rows.input[i].format == MoleculeFormat::kSmiles;
      table.rejects.push_back(
          {rows.row[i], is_smiles ? rows.input[i].text : "", featurised.reject[i]});
      continue;
    }
    table.row.push_back(rows.row[i]);
    kept.push_back(static_cast<int64_t>(i));
    if (!rows.part.empty()) table.part.push_back(rows.part[i]);
  }
  table.labels = rows.labels.select(kept);
  std::sort(table.rejects.begin(), table.rejects.end(),
            [](const Reject& a, const Reject& b) { return a.row < b.row; });
  return table;
}

void drop_coordinates(Molecules& molecules) {
  molecules.num_conformers = 0;
  molecules.coordinates = {};
  molecules.source = {};
  molecules.force_field = {};
}

}  // namespace

bool is_molecule_file(const std::string& path) {
  const std::string extension = lower_extension(path);
  std::error_code error;  // a name that cannot be a path is no file
  return (extension == ".csv" || extension == ".sdf" || extension == ".sd") &&
         fs::is_regular_file(path, error);
}

MoleculeRows read_molecules(const MoleculeRequest& request) {
  kind_of_task(request.task);  // a wrong word is an error also without a target
  const KnownDataset* known = find_known_dataset(request.name);
  if (known == nullptr && is_molecule_file(request.name)) return read_file_of_user(request);
  if (known == nullptr) known = &require_known_dataset(request.name);
  if (!known->read_molecules)
    throw UsageError(fmt::format("{} is not a table of molecules", request.name));
  const SourceFiles files(request.data_dir.empty() ? default_data_dir() : request.data_dir,
                          request.name,
                          request.allow_modified ? Checksums::kIgnore : Checksums::kRequire);
  MoleculeRows rows = known->read_molecules(files, request.options.columns, request.task);
  const int64_t published = known->counts.nodes;
  if (!request.allow_modified && published > 0 && rows.num_records() != published) {
    throw DataError(fmt::format("dataset {}: {} molecules, but {} are published", request.name,
                                rows.num_records(), published));
  }
  return rows;
}

MoleculeTable load_molecules(const MoleculeRequest& request, const MoleculeObserver& observer) {
  MoleculeRows rows = read_molecules(request);
  const KnownDataset* known = find_known_dataset(request.name);
  const bool measured = known != nullptr && known->measure;
  ConformerOptions conformers = request.options.conformers;
  if (measured) conformers.count = std::max<int64_t>(1, conformers.count);
  FeaturisedMolecules featurised = request.use_cache
                                       ? featurise_through_cache(rows.input, conformers, observer)
                                       : featurise_all(rows.input, conformers, observer);
  MoleculeTable table = assemble(std::move(rows), std::move(featurised));
  table.name = known != nullptr ? request.name : fs::path(request.name).stem().string();
  if (table.num_molecules() == 0) {
    const Reject& first = table.rejects.front();
    throw DataError(fmt::format("{}: all {} rows are rejected, row {} because: {}", request.name,
                                table.rejects.size(), first.row, first.reason));
  }
  if (known == nullptr) {  // published splits stay as they are published
    RepeatedMolecules repeated = find_repeated(table);
    if (repeated.rows > 0) table.notes.push_back(note_of(repeated));
    table.group = std::move(repeated.group);
  }
  if (measured) {
    table.labels = known->measure(table.molecules);
    check_task(request.task, table.labels, request.name);
  }
  if (request.options.conformers.count == 0) drop_coordinates(table.molecules);
  return table;
}

}  // namespace emgnn
