// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/name_table.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include <emgnn/formats/csv.h>

namespace emgnn {

int32_t NameTable::add(std::string_view name) {
  if (const auto known = number_.find(name); known != number_.end()) return known->second;
  const auto number = static_cast<int32_t>(names_.size());
  number_.emplace(name, number);
  names_.emplace_back(name);
  return number;
}

std::optional<int32_t> NameTable::find(std::string_view name) const {
  const auto known = number_.find(name);
  return known == number_.end() ? std::nullopt : std::optional(known->second);
}

std::vector<std::string> NameTable::take_names() {
  number_.clear();
  return std::exchange(names_, {});
}

std::vector<size_t> sorted_order(const std::vector<std::string>& names) {
  std::vector<double> number;
  for (const std::string& name : names) {
    if (const auto value = number_in(name)) number.push_back(*value);
  }
  const bool numeric = number.size() == names.size();
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (numeric && number[a] != number[b]) return number[a] < number[b];
    return names[a] < names[b];
  });
  return order;
}

SortedNames sorted_names(const std::vector<std::string>& names) {
  SortedNames out{{}, std::vector<int32_t>(names.size())};
  for (const size_t i : sorted_order(names)) {
    out.rank[i] = static_cast<int32_t>(out.names.size());
    out.names.push_back(names[i]);
  }
  return out;
}

std::string counts_of(const std::vector<std::string>& names, const std::vector<int64_t>& count) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == 10) return text + fmt::format(", and {} more", names.size() - i);
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names[i], count[i]);
  }
  return text;
}

}  // namespace emgnn
