// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/pickle.h>

#include <emgnn/base/error.h>
#include <emgnn/formats/pickle_parser.h>

namespace emgnn {

std::string_view name_of(PickleKind kind) {
  switch (kind) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return "a boolean";
    case PickleKind::kInt:
      return "an integer";
    case PickleKind::kText:
      return "a string";
    case PickleKind::kTuple:
      return "a tuple";
    case PickleKind::kList:
      return "a list";
    case PickleKind::kDict:
      return "a dict";
    case PickleKind::kArray:
      return "an array";
    case PickleKind::kSparse:
      return "a sparse matrix";
    case PickleKind::kDType:
      return "a dtype";
    case PickleKind::kClass:
      return "a class";
  }
  return "?";
}

Pickle Pickle::parse(std::string_view bytes, std::string file, const PickleLimits& limits) {
  return PickleParser(bytes, std::move(file), limits).run();
}

PickleValue Pickle::root() const { return {*this, root_}; }

const Pickle::Object& PickleValue::expect(PickleKind kind) const {
  if (object().kind != kind) {
    throw DataError(fmt::format("{}: expected {}, found {}", pickle_->file_, name_of(kind),
                                name_of(object().kind)));
  }
  return object();
}

const std::vector<uint32_t>& PickleValue::items() const {
  const PickleKind k = kind();
  if (k != PickleKind::kTuple && k != PickleKind::kList) expect(PickleKind::kList);
  return pickle_->items_[object().slot];
}

size_t PickleValue::size() const {
  if (kind() == PickleKind::kDict) return pickle_->items_[object().slot].size() / 2;
  return items().size();
}

PickleValue PickleValue::operator[](size_t i) const {
  const std::vector<uint32_t>& all = items();
  if (i >= all.size()) {
    throw DataError(
        fmt::format("{}: expected at least {} items, found {}", pickle_->file_, i + 1, all.size()));
  }
  return {*pickle_, all[i]};
}

std::pair<PickleValue, PickleValue> PickleValue::pair(size_t i) const {
  const std::vector<uint32_t>& all = pickle_->items_[expect(PickleKind::kDict).slot];
  EMGNN_CHECK(2 * i + 1 < all.size(), "no such pair in the dict", i);
  return {{*pickle_, all[2 * i]}, {*pickle_, all[2 * i + 1]}};
}

}  // namespace emgnn
