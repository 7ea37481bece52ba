// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/molecule_rows.h>

#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include <emgnn/base/error.h>
#include <emgnn/formats/csv.h>
#include <emgnn/data/graph_builder.h>
#include <emgnn/formats/sdf.h>

namespace emgnn {
namespace {

constexpr std::string_view kPartExpected = "expected train, validation or test";

std::string no_value_of(std::string_view target) { return fmt::format("no value of {}", target); }

// Nothing when the word is none of the three parts.
std::optional<int8_t> part_of(std::string_view word) {
  if (word.empty()) return kNoPart;
  const auto part = split_part(word);
  return part ? std::optional(static_cast<int8_t>(*part)) : std::nullopt;
}

// The DataError names what the records have instead.
void require_property(const std::vector<SdfRecord>& records, const std::string& file,
                      const std::string& property) {
  std::set<std::string_view> there;
  for (const SdfRecord& record : records) {
    if (record.find(property)) return;
    for (const auto& [name, value] : record.properties) there.insert(name);
  }
  throw DataError(there.empty()
                      ? fmt::format("{}: no property {:?}: the records have none", file, property)
                      : fmt::format("{}: no property {:?}; there are: {}", file, property,
                                    fmt::join(there, ", ")));
}

class SdfRows {
 public:
  SdfRows(const std::string& file, const MoleculeColumns& columns)
      : file_(file), columns_(columns) {}

  void add(int64_t number, const SdfRecord& record, MoleculeRows& rows) const {
    const auto reject = [&](std::string reason) {
      rows.rejects.push_back({number, "", std::move(reason)});
    };
    if (record.block.empty()) return reject("no line \"M  END\"");
    const std::string_view target = value(record, columns_.target);
    if (!columns_.target.empty()) {
      if (target.empty()) return reject(no_value_of(columns_.target));
      rows.target.push_back(number_of(number, record, target));
    }
    if (!columns_.split.empty()) rows.part.push_back(part(number, record));
    rows.input.push_back({MoleculeFormat::kMolBlock, std::string(record.block)});
    rows.row.push_back(number);
  }

 private:
  static std::string_view value(const SdfRecord& record, const std::string& property) {
    const std::string_view* found = record.find(property);
    return found ? trimmed(*found) : std::string_view{};
  }
  [[noreturn]] void fail(int64_t number, const SdfRecord& record, const std::string& property,
                         std::string_view expected, std::string_view found) const {
    throw DataError(fmt::format("{}: record {} at line {}, property {}: {}, found {:?}", file_,
                                number, record.line, property, expected, found.substr(0, 40)));
  }
  double number_of(int64_t number, const SdfRecord& record, std::string_view text) const {
    double out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(out))
      fail(number, record, columns_.target, "expected a number", text);
    return out;
  }
  int8_t part(int64_t number, const SdfRecord& record) const {
    const std::string_view word = value(record, columns_.split);
    const auto part = part_of(word);
    if (!part) fail(number, record, columns_.split, kPartExpected, word);
    return *part;
  }

  const std::string& file_;
  const MoleculeColumns& columns_;
};

}  // namespace

MoleculeRows read_molecule_csv(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns) {
  CsvTable table(text, file);
  const auto place = [&](const std::string& column) {
    return column.empty() ? std::nullopt : std::optional(table.require(column));
  };
  const size_t smiles = table.require(columns.smiles);
  const std::optional<size_t> target = place(columns.target), split = place(columns.split);
  MoleculeRows rows;
  rows.target_name = columns.target;
  for (int64_t number = 1; table.next(); ++number) {
    const std::string molecule(trimmed(table.field(smiles)));
    const bool no_target = target && trimmed(table.field(*target)).empty();
    if (molecule.empty() || no_target) {
      rows.rejects.push_back(
          {number, molecule, no_value_of(molecule.empty() ? columns.smiles : columns.target)});
      continue;
    }
    if (target) rows.target.push_back(table.row().number(*target, columns.target));
    if (split) {
      const auto part = part_of(trimmed(table.field(*split)));
      if (!part) table.row().fail(*split, columns.split, kPartExpected);
      rows.part.push_back(*part);
    }
    rows.input.push_back({MoleculeFormat::kSmiles, molecule});
    rows.row.push_back(number);
  }
  if (rows.num_records() == 0)
    throw DataError(fmt::format("{}: no molecule: there is only the line of column names", file));
  return rows;
}

MoleculeRows read_molecule_sdf(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns) {
  const std::vector<SdfRecord> records = read_sdf(text, file);
  for (const std::string* property : {&columns.target, &columns.split}) {
    if (!property->empty()) require_property(records, file, *property);
  }
  MoleculeRows rows;
  rows.target_name = columns.target;
  const SdfRows reader(file, columns);
  for (size_t i = 0; i < records.size(); ++i)
    reader.add(static_cast<int64_t>(i) + 1, records[i], rows);
  return rows;
}

}  // namespace emgnn
