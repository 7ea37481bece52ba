// SPDX-License-Identifier: Apache-2.0
// Python pickles, protocols 2 and 3, of plain containers, numpy arrays and scipy sparse matrices.
// Nothing in the file is executed: an opcode or class outside the short list below is refused by
// name.
//   opcodes  those of published Planetoid and GTN files (containers, small integers, strings, memo,
//   REDUCE, NEWOBJ, BUILD) classes  scipy csr_matrix and csc_matrix, numpy ndarray and dtype,
//   defaultdict(list)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <emgnn/formats/ndarray.h>

namespace emgnn {

struct PickleLimits {
  size_t max_values = 4'000'000;  // objects of all kinds; the bytes of arrays are not copied
  size_t max_memo = 1'000'000;
  size_t max_nesting = 1'000;  // open marks
};

enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kText,
  kTuple,
  kList,
  kDict,
  kArray,
  kSparse,
  kDType,
  kClass
};
std::string_view name_of(PickleKind kind);

class PickleValue;

// The objects of one pickle. They refer to each other by number, so that shared or even cyclic ones
// cost nothing; arrays and texts are views into the source, which must outlive this.
class Pickle {
 public:
  static Pickle parse(std::string_view bytes, std::string file, const PickleLimits& limits = {});

  PickleValue root() const;
  const std::string& file() const { return file_; }

 private:
  friend class PickleValue;
  friend class PickleParser;
  struct Object {
    PickleKind kind = PickleKind::kNone;
    uint32_t slot = 0;    // place among items_, arrays_ or sparse_
    int64_t integer = 0;  // also the boolean
    std::string_view text;
  };
  std::string file_;
  uint32_t root_ = 0;
  std::vector<Object> objects_;
  std::vector<std::vector<uint32_t>>
      items_;  // of tuples and lists; of dicts: key, value, key, value, ...
  std::vector<NdArray> arrays_;
  std::vector<SparseMatrix> sparse_;
};

// One object of a pickle. Asking it for what it is not throws DataError with the file's name.
class PickleValue {
 public:
  PickleValue(const Pickle& pickle, uint32_t id) : pickle_(&pickle), id_(id) {}

  PickleKind kind() const { return object().kind; }
  int64_t integer() const { return expect(PickleKind::kInt).integer; }
  std::string_view text() const { return expect(PickleKind::kText).text; }
  const NdArray& array() const { return pickle_->arrays_[expect(PickleKind::kArray).slot]; }
  const SparseMatrix& sparse() const { return pickle_->sparse_[expect(PickleKind::kSparse).slot]; }

  size_t size() const;                     // items of a list or tuple, pairs of a dict
  PickleValue operator[](size_t i) const;  // i-th item of a list or tuple
  std::pair<PickleValue, PickleValue> pair(size_t i) const;  // i-th key and value of a dict

 private:
  const Pickle::Object& object() const { return pickle_->objects_[id_]; }
  const Pickle::Object& expect(PickleKind kind) const;
  const std::vector<uint32_t>& items() const;

  const Pickle* pickle_;
  uint32_t id_;
};

}  // namespace emgnn
