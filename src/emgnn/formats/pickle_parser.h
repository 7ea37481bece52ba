// SPDX-License-Identifier: Apache-2.0
// The stack machine behind Pickle::parse; only pickle*.cpp includes this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <emgnn/formats/bytes.h>
#include <emgnn/formats/pickle.h>

namespace emgnn {

class PickleParser {
 public:
  PickleParser(std::string_view bytes, std::string file, const PickleLimits& limits);
  Pickle run();

 private:
  using Object = Pickle::Object;

  void step(uint8_t opcode);
  void push(Object object);
  void push_container(PickleKind kind, std::vector<uint32_t> items);
  void push_text(size_t length) { push({PickleKind::kText, 0, 0, in_.take(length, "a string")}); }
  void push_int(int64_t value) { push({PickleKind::kInt, 0, value, {}}); }
  uint32_t pop(std::string_view what);
  uint32_t top(std::string_view what);
  std::vector<uint32_t> pop_to_mark();
  std::vector<uint32_t> pop_last(size_t n);
  void put(size_t slot);
  void get(size_t slot);
  void append(const std::vector<uint32_t>& values, PickleKind kind);

  // What the few known classes do with their arguments (pickle_classes.cpp).
  void global();
  void reduce();
  void new_object();
  void build();
  void build_dtype(Object& dtype, const Object& state);
  void build_array(Object& array, const Object& state);
  void build_sparse(Object& sparse, const Object& state);

  const Object& object(uint32_t id) const { return pickle_.objects_[id]; }
  const std::vector<uint32_t>& tuple(const Object& object, size_t size,
                                     std::string_view what) const;
  const Object& typed(uint32_t id, PickleKind kind, std::string_view what) const;
  bool boolean(uint32_t id, std::string_view what) const;

  ByteReader in_;
  PickleLimits limits_;
  Pickle pickle_;
  std::vector<uint32_t> stack_, memo_;
  std::vector<size_t> marks_;
  size_t num_references_ = 0;
  bool stopped_ = false;
};

}  // namespace emgnn
