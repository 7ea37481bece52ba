// SPDX-License-Identifier: Apache-2.0
// Which settings a search may choose from, as a TOML file says it:
//
//   [model]
//   hidden = [16, 64, 256]                                # one of a list
//   dropout = { from = 0.0, to = 0.8, steps = 5 }         # a range; `steps` values of it in a grid
//   [optim]
//   learning_rate = { from = 0.001, to = 0.1, log = true }  # evenly on a logarithmic scale
//
// A range of whole numbers has whole numbers only. No LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

struct SearchKey {
  std::string key, where;           // "model.hidden", "space.toml:2: "
  std::vector<std::string> values;  // of a list
  // Of a range, where there is no list.
  double from = 0.0, to = 0.0;
  bool log = false, whole = false;
  int64_t steps = 0;  // 0: the file does not say

  bool is_range() const { return values.empty(); }
};

// One value for each key, in their order.
using SearchPoint = std::vector<std::string>;

class SearchSpace {
 public:
  // UsageError with the file's name and the line for anything else than lists and ranges.
  SearchSpace(std::string_view toml, const std::string& file);

  const std::vector<SearchKey>& keys() const { return keys_; }
  bool has(const std::string& key) const;

  // The same number, the same point; each key independently and uniformly.
  SearchPoint draw(uint64_t seed, uint64_t number) const;
  // Every combination, the last key fastest. UsageError where a range has no steps, or there are more
  // than `most`.
  std::vector<SearchPoint> grid(int64_t most) const;

  std::vector<std::string> assignments(const SearchPoint& point) const;  // "model.hidden=16", ...

 private:
  std::vector<SearchKey> keys_;
};

}  // namespace emgnn
