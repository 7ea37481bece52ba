// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/id_table.h>

#include <charconv>
#include <limits>

namespace emgnn {

namespace {

constexpr int32_t kNone = -1;
// Ids this far apart, on average, are better kept as text.
constexpr size_t kMostPerId = 64, kAlways = size_t{1} << 20;

// Written as a program would write it: no sign, no leading zero.
std::optional<uint32_t> number_of(std::string_view id) {
  if (id.empty() || (id.size() > 1 && id.front() == '0')) return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc() || end != id.data() + id.size() ||
      value >= static_cast<uint32_t>(std::numeric_limits<int32_t>::max()))
    return std::nullopt;
  return value;
}

}  // namespace

const int32_t* IdTable::place(uint32_t value) const {
  const size_t page = value / kPage;
  return page < pages_.size() && pages_[page] ? &(*pages_[page])[value % kPage] : nullptr;
}

void IdTable::put(uint32_t value, int32_t number) {
  const size_t page = value / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) {
    pages_[page] = std::make_unique<Page>();
    pages_[page]->fill(kNone);
    ++num_pages_;
  }
  (*pages_[page])[value % kPage] = number;
  value_.push_back(static_cast<int32_t>(value));
}

void IdTable::keep_texts() {
  texts_.emplace();
  for (const int32_t value : value_) texts_->add(std::to_string(value));
  value_ = {};
  pages_.clear();
}

int32_t IdTable::add(std::string_view id) {
  if (!texts_) {
    const std::optional<uint32_t> value = number_of(id);
    if (value) {
      const int32_t* known = place(*value);
      if (known != nullptr && *known != kNone) return *known;
      const auto number = static_cast<int32_t>(value_.size());
      put(*value, number);
      if (num_pages_ * kPage > kAlways + kMostPerId * value_.size()) keep_texts();
      return number;
    }
    keep_texts();
  }
  return texts_->add(id);
}

std::optional<int32_t> IdTable::find(std::string_view id) const {
  if (texts_) return texts_->find(id);
  const std::optional<uint32_t> value = number_of(id);
  const int32_t* known = value ? place(*value) : nullptr;
  return known == nullptr || *known == kNone ? std::nullopt : std::optional(*known);
}

std::string IdTable::name(int32_t number) const {
  const auto at = static_cast<size_t>(number);
  return texts_ ? texts_->names()[at] : std::to_string(value_[at]);
}

std::vector<std::string> IdTable::take_names() {
  std::vector<std::string> out;
  if (texts_) {
    out = texts_->take_names();
  } else {
    bool in_order = true;
    for (size_t i = 0; i < value_.size(); ++i)
      in_order = in_order && value_[i] == static_cast<int32_t>(i);
    if (!in_order)
      for (const int32_t value : value_) out.push_back(std::to_string(value));
  }
  texts_.reset();
  value_.clear();
  pages_.clear();
  num_pages_ = 0;
  return out;
}

}  // namespace emgnn
