// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/repeated_molecules.h>

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>

namespace emgnn {
namespace {

bool disagree(const Labels& labels, int64_t a, int64_t b) {
  if (labels.kind == LabelKind::kNone) return false;
  if (labels.kind == LabelKind::kClasses)
    return labels.cls[static_cast<size_t>(a)] != labels.cls[static_cast<size_t>(b)];
  for (int32_t k = 0; k < labels.num_names(); ++k) {
    const double x = labels.at(a, k), y = labels.at(b, k);
    if (!std::isnan(x) && !std::isnan(y) && x != y) return true;
  }
  return false;
}

}  // namespace

RepeatedMolecules find_repeated(const MoleculeTable& table) {
  RepeatedMolecules out;
  std::unordered_map<std::string_view, int32_t> first;
  std::set<int32_t> several, conflicting;
  for (size_t i = 0; i < table.molecules.canonical.size(); ++i) {
    const auto row = static_cast<int32_t>(i);
    const int32_t group = first.emplace(table.molecules.canonical[i], row).first->second;
    out.group.push_back(group);
    if (group == row) continue;
    ++out.rows;
    several.insert(group);
    if (disagree(table.labels, group, row)) conflicting.insert(group);
  }
  out.molecules = static_cast<int64_t>(several.size());
  out.conflicts = static_cast<int64_t>(conflicting.size());
  return out;
}

std::string note_of(const RepeatedMolecules& repeated) {
  if (repeated.rows == 0) return "";
  return fmt::format(
      "repeated molecules: {} {} an earlier molecule again ({} different {}, {} with labels that "
      "disagree); a random split keeps them in one part",
      repeated.rows, repeated.rows == 1 ? "row is" : "rows are", repeated.molecules,
      repeated.molecules == 1 ? "molecule" : "molecules", repeated.conflicts);
}

}  // namespace emgnn
