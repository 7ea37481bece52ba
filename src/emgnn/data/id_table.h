// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/name_table.h>

namespace emgnn {

// The ids of nodes, numbered in the order they are first seen. As long as all of them are whole
// numbers that lie close together, an id costs two integers, and no text is kept.
class IdTable {
 public:
  int32_t add(std::string_view id);  // its number, new or old
  std::optional<int32_t> find(std::string_view id) const;
  size_t size() const { return texts_ ? texts_->names().size() : value_.size(); }
  std::string name(int32_t number) const;
  // And forgets them. Empty where they are 0, 1, 2, .. in this order.
  std::vector<std::string> take_names();

 private:
  static constexpr size_t kPage = 4096;
  using Page = std::array<int32_t, kPage>;

  const int32_t* place(uint32_t value) const;
  void put(uint32_t value, int32_t number);
  void keep_texts();

  std::vector<int32_t> value_;                // of each number
  std::vector<std::unique_ptr<Page>> pages_;  // the number of each value, or -1
  size_t num_pages_ = 0;
  std::optional<NameTable> texts_;  // instead, when an id is no such number
};

}  // namespace emgnn
