// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace emgnn {

// Names numbered in the order they are first seen.
class NameTable {
 public:
  int32_t add(std::string_view name);  // its number, new or old
  std::optional<int32_t> find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> take_names();  // and forgets them

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> number_;
  std::vector<std::string> names_;
};

// The order in which classes and labels are numbered, whatever the order of rows: by value when all
// names are numbers, else by bytes. [names.size()], the first is the place of the smallest.
std::vector<size_t> sorted_order(const std::vector<std::string>& names);

struct SortedNames {
  std::vector<std::string> names;
  std::vector<int32_t> rank;  // of each name as given, its place among the sorted ones
};
SortedNames sorted_names(const std::vector<std::string>& names);

// "a 3, b 5", of at most ten names.
std::string counts_of(const std::vector<std::string>& names, const std::vector<int64_t>& count);

}  // namespace emgnn
