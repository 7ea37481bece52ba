// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/molecule_split.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/split_shares.h>

namespace emgnn {
namespace {

constexpr std::string_view kRandom = "random:", kRandomRows = "random-rows:";

std::vector<std::vector<int32_t>> members_of(std::span<const int32_t> group) {
  std::vector<std::vector<int32_t>> out(group.size());
  for (size_t i = 0; i < group.size(); ++i)
    out[static_cast<size_t>(group[i])].push_back(static_cast<int32_t>(i));
  return out;
}

// `group` numbers the molecules, each row by the first row of its molecule.
Split random_split(std::span<const int32_t> group, const Shares& shares, Rng rng) {
  std::vector<int32_t> ids(group.size());
  std::iota(ids.begin(), ids.end(), 0);
  shuffle(ids, rng);
  // The small term: 0.29 * 100 is 28.999999999999996.
  const auto size_of = [&](double share) {
    return static_cast<size_t>(share * static_cast<double>(ids.size()) + 1e-9);
  };
  const bool whole = shares.train + shares.validation + shares.test > 1 - 1e-9;
  Split split;
  std::pair<std::vector<int32_t>*, size_t> parts[] = {
      {&split.train, size_of(shares.train)},
      {&split.validation, size_of(shares.validation)},
      {&split.test, whole ? ids.size() : size_of(shares.test)}};
  std::vector<std::vector<int32_t>> members = members_of(group);
  auto* part = std::begin(parts);
  for (const int32_t id : ids) {
    while (part != std::end(parts) && part->first->size() >= part->second) ++part;
    if (part == std::end(parts)) break;
    std::vector<int32_t>& all = members[static_cast<size_t>(group[static_cast<size_t>(id)])];
    part->first->insert(part->first->end(), all.begin(), all.end());
    all.clear();
  }
  return split;
}

std::vector<int32_t> each_alone(int64_t num_molecules) {
  std::vector<int32_t> group(static_cast<size_t>(num_molecules));
  std::iota(group.begin(), group.end(), 0);
  return group;
}

// Groups in descending order of (size, first index). A group goes to the first part that it does
// not overfill: training up to int(0.8 n), training and validation up to int(0.9 n), else test.
Split scaffold_split(const std::vector<std::string>& scaffold) {
  std::map<std::string_view, std::vector<int32_t>> by_scaffold;
  for (size_t i = 0; i < scaffold.size(); ++i)
    by_scaffold[scaffold[i]].push_back(static_cast<int32_t>(i));
  std::vector<const std::vector<int32_t>*> groups;
  for (const auto& [name, ids] : by_scaffold) groups.push_back(&ids);
  std::sort(groups.begin(), groups.end(), [](const auto* a, const auto* b) {
    return std::pair(a->size(), a->front()) > std::pair(b->size(), b->front());
  });
  const size_t n = scaffold.size(), cut1 = n * 8 / 10, cut2 = n * 9 / 10;
  Split split;
  for (const std::vector<int32_t>* group : groups) {
    std::vector<int32_t>* to = &split.test;
    if (split.train.size() + group->size() <= cut1) {
      to = &split.train;
    } else if (split.train.size() + split.validation.size() + group->size() <= cut2) {
      to = &split.validation;
    }
    to->insert(to->end(), group->begin(), group->end());
  }
  return split;
}

Split column_split(const std::vector<int8_t>& part) {
  Split split;
  std::vector<int32_t>* const parts[] = {&split.train, &split.validation, &split.test};
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] != kNoPart) parts[static_cast<size_t>(part[i])]->push_back(static_cast<int32_t>(i));
  }
  return split;
}

[[noreturn]] void reject(const MoleculeTable& table, const std::string& spec,
                         std::string_view why) {
  throw UsageError(fmt::format("split {:?} of {}: {}; valid: {}", spec, table.name, why,
                               fmt::join(valid_splits(table), ", ")));
}

Split split_of(const MoleculeTable& table, const std::string& spec, uint64_t draw) {
  if (spec == kScaffoldSplit) return scaffold_split(table.molecules.scaffold);
  if (spec == kColumnSplit) {
    if (table.part.empty()) reject(table, spec, "no column was named, as in data.split=COLUMN");
    return column_split(table.part);
  }
  if (spec == kRandomSplit) return split_of(table, kRandomMoleculeSplit, draw);
  const bool rows = spec.starts_with(kRandomRows);
  if (!rows && !spec.starts_with(kRandom)) reject(table, spec, "unknown");
  const auto shares =
      shares_of(std::string_view(spec).substr((rows ? kRandomRows : kRandom).size()));
  if (!shares) reject(table, spec, kSharesExpected);
  return random_split(rows || table.group.empty() ? each_alone(table.num_molecules()) : table.group,
                      *shares, Rng(draw, Stream::kSplit));
}

}  // namespace

std::vector<std::string> valid_splits(const MoleculeTable& table) {
  std::vector<std::string> names = {kRandomSplit, "random:A/B/C", kScaffoldSplit};
  if (!table.group.empty()) names.emplace_back("random-rows:A/B/C");
  if (!table.part.empty()) names.insert(names.begin(), kColumnSplit);
  return names;
}

Split make_split(const MoleculeTable& table, const SplitRequest& request) {
  const std::string spec = !request.spec.empty() ? request.spec
                           : table.part.empty()  ? kRandomMoleculeSplit
                                                 : kColumnSplit;
  Split split = split_of(table, spec, request.seed + static_cast<uint64_t>(request.run));
  if (split.train.empty() || split.validation.empty() || split.test.empty()) {
    throw DataError(fmt::format(
        "split {:?} of {}: {} molecules give {} for training, {} for validation and {} for test",
        spec, table.name, table.num_molecules(), split.train.size(), split.validation.size(),
        split.test.size()));
  }
  return split;
}

}  // namespace emgnn
