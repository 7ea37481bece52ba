// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/split.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/split_shares.h>

namespace emgnn {
namespace {

constexpr std::string_view kGeomGcn = "geom-gcn:";

[[noreturn]] void reject(const ParsedDataset& parsed, const std::string& spec,
                         std::string_view why) {
  throw UsageError(fmt::format("split {:?} of {}: {}; valid: {}", spec, parsed.dataset.name, why,
                               fmt::join(valid_splits(parsed), ", ")));
}

// A whole number >= 1 as a size; the specs' counts are written like the shares.
std::optional<size_t> count_of(double value) {
  if (value < 1 || value > 1e9 || value != std::floor(value)) return std::nullopt;
  return static_cast<size_t>(value);
}

std::vector<std::vector<int32_t>> ids_by_class(const Dataset& dataset) {
  const Labels& labels = dataset.labels;
  std::vector<std::vector<int32_t>> ids(labels.names.size());
  for (size_t i = 0; i < labels.cls.size(); ++i) {
    if (labels.cls[i] != kNoLabel)
      ids[static_cast<size_t>(labels.cls[i])].push_back(static_cast<int32_t>(i));
  }
  return ids;
}

void require_classes(const ParsedDataset& parsed, const std::string& spec) {
  const LabelKind kind = parsed.dataset.labels.kind;
  if (kind == LabelKind::kClasses) return;
  reject(parsed, spec, fmt::format("it needs classes, but the nodes have {}", name_of(kind)));
}

// Cuts shuffled ids at the rounded running sums of the shares.
void deal(const std::vector<int32_t>& ids, const Shares& shares, Split& split) {
  const auto n = static_cast<double>(ids.size());
  const auto cut = [&](double share) {
    return ids.begin() + std::min<std::ptrdiff_t>(std::lround(share * n),
                                                  static_cast<std::ptrdiff_t>(ids.size()));
  };
  const auto a = cut(shares.train), b = cut(shares.train + shares.validation),
             c = cut(shares.train + shares.validation + shares.test);
  split.train.insert(split.train.end(), ids.begin(), a);
  split.validation.insert(split.validation.end(), a, b);
  split.test.insert(split.test.end(), b, c);
}

Split random_split(const ParsedDataset& parsed, const Shares& shares, Rng rng) {
  Split split;
  std::vector<int32_t> all = parsed.dataset.labels.known_rows();
  shuffle(all, rng);
  deal(all, shares, split);
  return split;
}

Split stratified_split(const ParsedDataset& parsed, const Shares& shares, Rng rng) {
  Split split;
  for (std::vector<int32_t>& ids : ids_by_class(parsed.dataset)) {
    shuffle(ids, rng);
    deal(ids, shares, split);
  }
  return split;
}

Split per_class_split(const ParsedDataset& parsed, const std::string& spec, std::string_view text,
                      Rng rng) {
  const auto values = numbers_of(text);
  std::vector<size_t> counts;
  if (values) {
    for (const double v : *values) {
      if (const auto count = count_of(v)) counts.push_back(*count);
    }
  }
  if (!values || counts.size() != values->size() || (counts.size() != 1 && counts.size() != 3)) {
    reject(parsed, spec, "expected K or K/V/T, whole numbers");
  }
  Split split;
  std::vector<int32_t> rest;
  std::vector<std::vector<int32_t>> by_class = ids_by_class(parsed.dataset);
  for (size_t c = 0; c < by_class.size(); ++c) {
    if (by_class[c].size() < counts[0]) {
      throw UsageError(fmt::format("split {:?} of {}: class {} has only {} labelled nodes", spec,
                                   parsed.dataset.name, parsed.dataset.labels.names[c],
                                   by_class[c].size()));
    }
    shuffle(by_class[c], rng);
    const auto middle = by_class[c].begin() + static_cast<std::ptrdiff_t>(counts[0]);
    split.train.insert(split.train.end(), by_class[c].begin(), middle);
    rest.insert(rest.end(), middle, by_class[c].end());
  }
  shuffle(rest, rng);
  const size_t num_validation = counts.size() == 3 ? counts[1] : rest.size() / 2;
  const size_t num_test = counts.size() == 3 ? counts[2] : rest.size() - num_validation;
  if (num_validation + num_test > rest.size()) {
    throw UsageError(
        fmt::format("split {:?} of {}: only {} labelled nodes are left for validation and test",
                    spec, parsed.dataset.name, rest.size()));
  }
  const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(num_validation);
  split.validation.assign(rest.begin(), middle);
  split.test.assign(middle, middle + static_cast<std::ptrdiff_t>(num_test));
  return split;
}

// Splits come in numbered families ("geom-gcn:0" ...) or alone ("planetoid").
const Split* find_named(const ParsedDataset& parsed, const std::string& spec, uint64_t draw) {
  std::vector<const Split*> family;
  for (const NamedSplit& named : parsed.splits) {
    if (named.name == spec) return &named.split;
    if (named.name == fmt::format("{}:{}", spec, family.size())) family.push_back(&named.split);
  }
  return family.empty() ? nullptr : family[draw % family.size()];
}

// "planetoid", or "geom-gcn" for the family of ten
std::string default_spec(const ParsedDataset& parsed) {
  const std::string& name = parsed.splits.front().name;
  return name.substr(0, name.find(':'));
}

Split first_labels_per_class(const ParsedDataset& parsed, const std::string& spec,
                             std::string_view text, uint64_t draw) {
  const auto values = numbers_of(text);
  const auto wanted = values && values->size() == 1 ? count_of((*values)[0]) : std::nullopt;
  if (!wanted) reject(parsed, spec, "expected a whole number of labels");
  if (parsed.splits.empty())
    reject(parsed, spec, "the data comes without a split to take labels from");
  Split split = *find_named(parsed, default_spec(parsed), draw);
  std::vector<int32_t> train = std::exchange(split.train, {});
  std::sort(train.begin(), train.end());
  std::vector<size_t> taken(parsed.dataset.labels.names.size(), 0);
  for (const int32_t id : train) {
    size_t& count = taken[static_cast<size_t>(parsed.dataset.labels.cls[static_cast<size_t>(id)])];
    if (count == *wanted) continue;
    ++count;
    split.train.push_back(id);
  }
  for (size_t c = 0; c < taken.size(); ++c) {
    if (taken[c] < *wanted) {
      throw UsageError(fmt::format("split {:?} of {}: class {} has only {} training nodes", spec,
                                   parsed.dataset.name, parsed.dataset.labels.names[c], taken[c]));
    }
  }
  return split;
}

}  // namespace

std::vector<std::string> valid_splits(const ParsedDataset& parsed) {
  std::vector<std::string> names;
  for (const NamedSplit& named : parsed.splits) {
    if (named.name == "geom-gcn:0") names.insert(names.end(), {"geom-gcn", "geom-gcn:I"});
    if (!named.name.starts_with(kGeomGcn)) names.push_back(named.name);
  }
  const bool classes = parsed.dataset.labels.kind == LabelKind::kClasses;
  if (classes && !parsed.splits.empty()) names.emplace_back("labels-per-class:K");
  names.emplace_back("random:A/B/C");
  if (classes) names.insert(names.end(), {"stratified:A/B/C", "per-class:K[/V/T]"});
  return names;
}

Split make_split(const ParsedDataset& parsed, const SplitRequest& request) {
  if (parsed.dataset.labels.kind == LabelKind::kNone)
    throw UsageError(fmt::format(
        "{}: no node has a label, so there is nothing to split or to learn", parsed.dataset.name));
  std::string spec = request.spec;
  const uint64_t draw = request.seed + static_cast<uint64_t>(request.run);
  if (spec.empty()) {
    if (parsed.splits.empty()) {
      throw UsageError(fmt::format("{} comes without a split: choose one of {}",
                                   parsed.dataset.name, fmt::join(valid_splits(parsed), ", ")));
    }
    spec = default_spec(parsed);
  }
  if (const Split* named = find_named(parsed, spec, draw)) return *named;
  const size_t colon = spec.find(':');
  const std::string kind = spec.substr(0, colon),
                    rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  if (kind == "labels-per-class" || kind == "per-class" || kind == "stratified")
    require_classes(parsed, spec);
  if (kind == "labels-per-class") return first_labels_per_class(parsed, spec, rest, draw);
  const Rng rng(draw, Stream::kSplit);
  if (kind == "per-class") return per_class_split(parsed, spec, rest, rng);
  if (kind == "random" || kind == "stratified") {
    const auto shares = shares_of(rest);
    if (!shares) reject(parsed, spec, kSharesExpected);
    return kind == "random" ? random_split(parsed, *shares, rng)
                            : stratified_split(parsed, *shares, rng);
  }
  reject(parsed, spec, "unknown");
}

}  // namespace emgnn
