// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/verify.h>

#include <set>

#include <emgnn/base/error.h>
#include <emgnn/data/describe.h>
#include <emgnn/data/known_datasets.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/published_files.h>
#include <emgnn/data/registry.h>

namespace emgnn {
namespace {

std::string load_and_count(const KnownDataset& known, const std::filesystem::path& data_dir) {
  if (known.read_molecules) {
    const MoleculeRows rows = read_molecules({.name = known.info.name, .data_dir = data_dir});
    return fmt::format("{} molecules, target {:?}", rows.num_records(),
                       fmt::join(rows.labels.names, ", "));
  }
  return one_line(
      summarise_dataset({.name = known.info.name, .data_dir = data_dir, .use_cache = false}));
}

VerifyRow verify_dataset(const KnownDataset& known, const std::filesystem::path& data_dir) {
  std::vector<std::string> missing;
  for (const std::string& file : known.info.files) {
    if (!std::filesystem::exists(data_dir / file)) missing.push_back(file);
  }
  VerifyRow row{known.info.name, VerifyStatus::kOk, {}};
  if (missing.size() == known.info.files.size()) {
    row.status = VerifyStatus::kAbsent;
    row.detail = how_to_get(known.info.files.front(), known.info.name);
  } else if (!missing.empty()) {
    row.status = VerifyStatus::kIncomplete;
    row.detail = fmt::format("missing: {}", fmt::join(missing, ", "));
  } else {
    try {
      row.detail = load_and_count(known, data_dir);
    } catch (const DataError& error) {
      row.status = VerifyStatus::kDamaged;
      row.detail = error.what();
    }
  }
  return row;
}

}  // namespace

const char* name_of(VerifyStatus status) {
  switch (status) {
    case VerifyStatus::kOk:
      return "ok";
    case VerifyStatus::kAbsent:
      return "absent";
    case VerifyStatus::kIncomplete:
      return "incomplete";
    case VerifyStatus::kDamaged:
      return "damaged";
  }
  return "?";
}

std::vector<VerifyRow> verify_data(const std::filesystem::path& data_dir,
                                   const std::function<void(const std::string& name)>& on_next) {
  std::vector<VerifyRow> rows;
  std::set<std::string, std::less<>> read;
  for (const KnownDataset& known : known_datasets()) {
    if (known.info.files.empty()) continue;  // generated
    on_next(known.info.name);
    VerifyRow row = verify_dataset(known, data_dir);
    if (row.status == VerifyStatus::kOk || row.status == VerifyStatus::kDamaged) {
      read.insert(known.info.files.begin(), known.info.files.end());
    }
    rows.push_back(std::move(row));
  }
  // Files that no complete dataset has read: checksums only.
  for (const PublishedFile& file : published_files()) {
    if (read.contains(file.path) || !std::filesystem::exists(data_dir / file.path)) continue;
    VerifyRow row{std::string(file.path), VerifyStatus::kOk, "checksum"};
    on_next(row.name);
    try {
      SourceFiles(data_dir, row.name, Checksums::kRequire).read(row.name);
    } catch (const DataError& error) {
      row.status = VerifyStatus::kDamaged;
      row.detail = error.what();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace emgnn
