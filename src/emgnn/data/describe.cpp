// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/describe.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/data/split.h>

namespace emgnn {
namespace {

void describe_graph(const Dataset& dataset, DatasetSummary& summary) {
  const std::vector<int32_t>& cls = dataset.labels.cls;
  std::vector<bool> isolated(static_cast<size_t>(dataset.graph.num_nodes), true);
  int64_t same = 0, labelled = 0;
  for (const Relation& relation : dataset.graph.relations) {
    const Csr& a = relation.adjacency;
    summary.edges.emplace_back(relation.name, a.num_entries() / 2);
    for (size_t r = 0; r < isolated.size(); ++r) {
      if (a.rowptr[r] != a.rowptr[r + 1]) isolated[r] = false;
      for (int32_t k = a.rowptr[r]; !cls.empty() && k < a.rowptr[r + 1]; ++k) {
        const auto c = static_cast<size_t>(a.col[static_cast<size_t>(k)]);
        if (cls[r] == kNoLabel || cls[c] == kNoLabel) continue;
        ++labelled;
        same += cls[r] == cls[c] ? 1 : 0;
      }
    }
  }
  if (labelled > 0) summary.homophily = static_cast<double>(same) / static_cast<double>(labelled);
  summary.isolated = std::count(isolated.begin(), isolated.end(), true);
}

NameSummary describe_column(const Labels& labels, int32_t name) {
  NameSummary out{.name = labels.names[static_cast<size_t>(name)]};
  std::vector<double> known;
  for (int64_t row = 0; row < labels.num_rows; ++row) {
    if (const double y = labels.at(row, name); !std::isnan(y)) known.push_back(y);
  }
  out.rows = static_cast<int64_t>(known.size());
  if (known.empty()) return out;
  const auto [min, max] = std::minmax_element(known.begin(), known.end());
  out.min = *min;
  out.max = *max;
  const auto n = static_cast<double>(known.size());
  double squares = 0;
  for (const double y : known) out.mean += y / n;
  for (const double y : known) squares += (y - out.mean) * (y - out.mean);
  out.std = std::sqrt(squares / n);
  return out;
}

}  // namespace

LabelSummary describe(const Labels& labels) {
  LabelSummary summary{.kind = labels.kind, .known = labels.num_known(), .names = {}};
  for (int32_t k = 0; k < labels.num_names(); ++k) {
    if (labels.kind != LabelKind::kClasses) {
      summary.names.push_back(describe_column(labels, k));
      continue;
    }
    summary.names.push_back({.name = labels.names[static_cast<size_t>(k)],
                             .rows = std::count(labels.cls.begin(), labels.cls.end(), k)});
  }
  return summary;
}

DatasetSummary describe(const ParsedDataset& parsed, const Split& split) {
  const Dataset& dataset = parsed.dataset;
  DatasetSummary summary;
  summary.name = dataset.name;
  summary.nodes = dataset.graph.num_nodes;
  for (size_t t = 0; t < dataset.node_type_names.size(); ++t) {
    summary.node_types.emplace_back(
        dataset.node_type_names[t],
        std::count(dataset.node_type.begin(), dataset.node_type.end(), static_cast<int32_t>(t)));
  }
  describe_graph(dataset, summary);
  summary.features = dataset.features.num_cols;
  summary.labels = describe(dataset.labels);
  summary.classes = dataset.labels.kind == LabelKind::kValues ? 0 : dataset.labels.num_names();
  summary.train = static_cast<int64_t>(split.train.size());
  summary.validation = static_cast<int64_t>(split.validation.size());
  summary.test = static_cast<int64_t>(split.test.size());
  summary.duplicates = parsed.num_duplicates;
  summary.self_loops = parsed.num_self_loops;
  summary.valid_splits = valid_splits(parsed);
  summary.notes = parsed.notes;
  return summary;
}

MoleculeSummary describe(const MoleculeTable& table, const Split& split) {
  const Molecules& all = table.molecules;
  const auto n = static_cast<double>(table.num_molecules());
  MoleculeSummary summary;
  summary.name = table.name;
  summary.molecules = table.num_molecules();
  summary.rejects = static_cast<int64_t>(table.rejects.size());
  summary.atoms_mean = static_cast<double>(all.num_atoms()) / n;
  summary.bonds_mean = static_cast<double>(all.num_bonds()) / n;
  for (int64_t m = 0; m < table.num_molecules(); ++m)
    summary.atoms_max = std::max(summary.atoms_max, all.num_atoms(m));
  summary.scaffolds = static_cast<int64_t>(
      std::set<std::string_view>(all.scaffold.begin(), all.scaffold.end()).size());
  summary.labels = describe(table.labels);
  summary.targets = table.labels.kind == LabelKind::kClasses ? 1 : table.labels.num_names();
  summary.train = static_cast<int64_t>(split.train.size());
  summary.validation = static_cast<int64_t>(split.validation.size());
  summary.test = static_cast<int64_t>(split.test.size());
  summary.valid_splits = valid_splits(table);
  summary.notes = table.notes;
  const size_t shown = std::min<size_t>(table.rejects.size(), 5);
  summary.first_rejects.assign(table.rejects.begin(),
                               table.rejects.begin() + static_cast<std::ptrdiff_t>(shown));
  return summary;
}

std::string one_line(const DatasetSummary& s) {
  std::string text = fmt::format("{} nodes", s.nodes);
  for (const auto& [relation, count] : s.edges) text += fmt::format(", {} {}", count, relation);
  const char* kind = s.labels.kind == LabelKind::kNone ? "labels" : name_of(s.labels.kind);
  return text + fmt::format(", {} features, {} {}, split {}/{}/{}", s.features,
                            s.labels.names.size(), kind, s.train, s.validation, s.test);
}

}  // namespace emgnn
