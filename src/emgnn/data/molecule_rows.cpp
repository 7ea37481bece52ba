// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/molecule_rows.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/graph_builder.h>
#include <emgnn/data/label_cells.h>
#include <emgnn/formats/csv.h>
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

// The whole text where `exists` knows it, else its pieces between commas.
std::vector<std::string> target_names(std::string_view text,
                                      const std::function<bool(std::string_view)>& exists) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  if (exists(text)) return {std::string(text)};
  while (true) {
    const size_t comma = text.find(',');
    names.emplace_back(trimmed(text.substr(0, comma)));
    EMGNN_CHECK(!names.back().empty(), "data.target: a column without a name", text);
    EMGNN_CHECK(std::count(names.begin(), names.end(), names.back()) == 1,
                "data.target: a column is named twice", names.back());
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

// The targets of all rows, before they are understood.
class TargetCells {
 public:
  void add_column(std::string name, LabelCells::Place place) {
    columns_.emplace_back(std::move(name), std::move(place));
  }
  // False when targets are asked for and the row has none: then it is not added.
  bool add_row(const std::vector<std::string_view>& cells, int64_t at) {
    const auto empty = [](std::string_view cell) { return trimmed(cell).empty(); };
    if (!columns_.empty() && std::all_of(cells.begin(), cells.end(), empty)) return false;
    for (size_t c = 0; c < columns_.size(); ++c) columns_[c].add(cells[c], at);
    return true;
  }
  void finish(const std::string& task, MoleculeRows& rows) const {
    rows.labels = no_labels(static_cast<int64_t>(rows.input.size()));
    if (columns_.empty() || rows.input.empty()) return;
    ReadLabels read = read_molecule_labels(columns_, task);
    rows.labels = std::move(read.labels);
    rows.notes.push_back(std::move(read.note));
  }

 private:
  std::vector<LabelCells> columns_;
};

bool some_record_has(const std::vector<SdfRecord>& records, std::string_view property) {
  return std::any_of(records.begin(), records.end(),
                     [&](const SdfRecord& record) { return record.find(property) != nullptr; });
}

// The DataError names what the records have instead.
void require_property(const std::vector<SdfRecord>& records, const std::string& file,
                      const std::string& property) {
  if (some_record_has(records, property)) return;
  std::set<std::string_view> there;
  for (const SdfRecord& record : records) {
    for (const auto& [name, value] : record.properties) there.insert(name);
  }
  throw DataError(there.empty()
                      ? fmt::format("{}: no property {:?}: the records have none", file, property)
                      : fmt::format("{}: no property {:?}; there are: {}", file, property,
                                    fmt::join(there, ", ")));
}

class SdfRows {
 public:
  SdfRows(const std::vector<SdfRecord>& records, const std::string& file,
          const MoleculeColumns& columns)
      : records_(records), file_(file), columns_(columns) {
    const auto exists = [&](std::string_view name) { return some_record_has(records, name); };
    targets_ = target_names(columns.target, exists);
    for (const std::string& target : targets_) require_property(records, file, target);
    if (!columns.split.empty()) require_property(records, file, columns.split);
  }

  MoleculeRows read(const std::string& task) const {
    MoleculeRows rows;
    TargetCells cells;
    for (const std::string& target : targets_)
      cells.add_column(target, [this, target](int64_t i) { return place(i, target); });
    for (size_t i = 0; i < records_.size(); ++i) add(static_cast<int64_t>(i), cells, rows);
    cells.finish(task, rows);
    return rows;
  }

 private:
  void add(int64_t i, TargetCells& cells, MoleculeRows& rows) const {
    const SdfRecord& record = records_[static_cast<size_t>(i)];
    const auto reject = [&](std::string reason) {
      rows.rejects.push_back({i + 1, "", std::move(reason)});
    };
    if (record.block.empty()) return reject("no line \"M  END\"");
    std::vector<std::string_view> values;
    for (const std::string& target : targets_) values.push_back(value(record, target));
    if (!cells.add_row(values, i)) return reject(no_value_of(columns_.target));
    if (!columns_.split.empty()) rows.part.push_back(part(i));
    rows.input.push_back({MoleculeFormat::kMolBlock, std::string(record.block)});
    rows.row.push_back(i + 1);
  }
  static std::string_view value(const SdfRecord& record, const std::string& property) {
    const std::string_view* found = record.find(property);
    return found ? trimmed(*found) : std::string_view{};
  }
  std::string place(int64_t i, const std::string& property) const {
    return fmt::format("{}: record {} at line {}, property {}", file_, i + 1,
                       records_[static_cast<size_t>(i)].line, property);
  }
  int8_t part(int64_t i) const {
    const std::string_view word = value(records_[static_cast<size_t>(i)], columns_.split);
    if (const auto part = part_of(word)) return *part;
    throw DataError(fmt::format("{}: {}, found {:?}", place(i, columns_.split), kPartExpected,
                                word.substr(0, 40)));
  }

  const std::vector<SdfRecord>& records_;
  const std::string& file_;
  const MoleculeColumns& columns_;
  std::vector<std::string> targets_;
};

// Places in the table, a LabelCells in `cells` for each.
std::vector<size_t> target_columns(const CsvTable& table, const std::string& file,
                                   const std::string& target, TargetCells& cells) {
  std::vector<size_t> places;
  const auto exists = [&](std::string_view column) { return table.find(column) >= 0; };
  for (const std::string& name : target_names(target, exists)) {
    places.push_back(table.require(name));
    cells.add_column(name, [&file, name, column = places.back() + 1](int64_t line) {
      return fmt::format("{}: line {}, column {} ({})", file, line, column, name);
    });
  }
  return places;
}

}  // namespace

MoleculeRows read_molecule_csv(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns, const std::string& task) {
  CsvTable table(text, file);
  TargetCells cells;
  const size_t smiles = table.require(columns.smiles);
  const std::vector<size_t> targets = target_columns(table, file, columns.target, cells);
  const int split = columns.split.empty() ? -1 : static_cast<int>(table.require(columns.split));
  MoleculeRows rows;
  std::vector<std::string_view> values(targets.size());
  for (int64_t number = 1; table.next(); ++number) {
    const std::string molecule(trimmed(table.field(smiles)));
    for (size_t c = 0; c < targets.size(); ++c) values[c] = table.field(targets[c]);
    if (molecule.empty() || !cells.add_row(values, table.row().line())) {
      rows.rejects.push_back(
          {number, molecule, no_value_of(molecule.empty() ? columns.smiles : columns.target)});
      continue;
    }
    if (const auto at = static_cast<size_t>(split); split >= 0) {
      const auto part = part_of(trimmed(table.field(at)));
      if (!part) table.row().fail(at, columns.split, kPartExpected);
      rows.part.push_back(*part);
    }
    rows.input.push_back({MoleculeFormat::kSmiles, molecule});
    rows.row.push_back(number);
  }
  if (rows.num_records() == 0)
    throw DataError(fmt::format("{}: no molecule: there is only the line of column names", file));
  cells.finish(task, rows);
  return rows;
}

MoleculeRows read_molecule_sdf(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns, const std::string& task) {
  const std::vector<SdfRecord> records = read_sdf(text, file);
  return SdfRows(records, file, columns).read(task);
}

}  // namespace emgnn
