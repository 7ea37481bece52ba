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
  std::vector<bool> isolated(dataset.label.size(), true);
  int64_t same = 0, labelled = 0;
  for (const Relation& relation : dataset.graph.relations) {
    const Csr& a = relation.adjacency;
    summary.edges.emplace_back(relation.name, a.num_entries() / 2);
    for (size_t r = 0; r < dataset.label.size(); ++r) {
      if (a.rowptr[r] != a.rowptr[r + 1]) isolated[r] = false;
      for (int32_t k = a.rowptr[r]; k < a.rowptr[r + 1]; ++k) {
        const auto c = static_cast<size_t>(a.col[static_cast<size_t>(k)]);
        if (dataset.label[r] == kNoLabel || dataset.label[c] == kNoLabel) continue;
        ++labelled;
        same += dataset.label[r] == dataset.label[c] ? 1 : 0;
      }
    }
  }
  if (labelled > 0) summary.homophily = static_cast<double>(same) / static_cast<double>(labelled);
  summary.isolated = std::count(isolated.begin(), isolated.end(), true);
}

void describe_target(const MoleculeTable& table, MoleculeSummary& summary) {
  summary.targets = 1;
  summary.target_name = table.target_name;
  const auto [min, max] = std::minmax_element(table.target.begin(), table.target.end());
  summary.min = *min;
  summary.max = *max;
  const auto n = static_cast<double>(table.target.size());
  double squares = 0;
  for (const double y : table.target) summary.mean += y / n;
  for (const double y : table.target) squares += (y - summary.mean) * (y - summary.mean);
  summary.std = std::sqrt(squares / n);
}

}  // namespace

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
  summary.classes = dataset.num_classes();
  summary.labelled =
      summary.nodes - std::count(dataset.label.begin(), dataset.label.end(), kNoLabel);
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
  if (!table.target.empty()) describe_target(table, summary);
  summary.train = static_cast<int64_t>(split.train.size());
  summary.validation = static_cast<int64_t>(split.validation.size());
  summary.test = static_cast<int64_t>(split.test.size());
  summary.valid_splits = valid_splits(table);
  const size_t shown = std::min<size_t>(table.rejects.size(), 5);
  summary.first_rejects.assign(table.rejects.begin(),
                               table.rejects.begin() + static_cast<std::ptrdiff_t>(shown));
  return summary;
}

std::string one_line(const DatasetSummary& s) {
  std::string text = fmt::format("{} nodes", s.nodes);
  for (const auto& [relation, count] : s.edges) text += fmt::format(", {} {}", count, relation);
  return text + fmt::format(", {} features, {} classes, split {}/{}/{}", s.features, s.classes,
                            s.train, s.validation, s.test);
}

}  // namespace emgnn
