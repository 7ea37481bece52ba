// SPDX-License-Identifier: Apache-2.0
// Writes pickles in the layouts of the published files (protocol 2 of Python 2, protocol 3 of
// Python 3), for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace emgnn::testing {

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class PickleWriter {
 public:
  explicit PickleWriter(int protocol) : protocol_(protocol) {}

  std::string file(const std::string& body) const {
    return std::string("\x80") + static_cast<char>(protocol_) + body + ".";
  }

  static std::string integer(int64_t value) {
    if (value >= 0 && value < 256) return "K" + le<uint8_t>(value);
    if (value >= 0 && value < 65536) return "M" + le<uint16_t>(value);
    return "J" + le<int32_t>(value);
  }

  // Names are strings of Python 2 or texts of Python 3; raw bytes are strings or bytes.
  std::string name(const std::string& text) const {
    return protocol_ == 2 ? bytes(text) : "X" + le<uint32_t>(text.size()) + text;
  }
  std::string bytes(const std::string& raw) const {
    const bool is_short = raw.size() < 256;
    const std::string code = protocol_ == 2 ? (is_short ? "U" : "T") : (is_short ? "C" : "B");
    return code + (is_short ? le<uint8_t>(raw.size()) : le<uint32_t>(raw.size())) + raw;
  }

  static std::string tuple(const std::vector<std::string>& items) {
    std::string all;
    for (const std::string& item : items) all += item;
    if (items.empty()) return ")";
    if (items.size() <= 3) return all + static_cast<char>(0x84 + items.size());
    return "(" + all + "t";
  }
  static std::string list(const std::vector<std::string>& items) {
    if (items.size() == 1) return "]" + items[0] + "a";
    std::string all = "](";
    for (const std::string& item : items) all += item;
    return all + "e";
  }

  std::string dtype(const std::string& code) const {
    return "cnumpy\ndtype\n" + tuple({name(code), integer(0), integer(1)}) + "R" +
           tuple({integer(3), name("<"), "N", "N", "N", integer(-1), integer(-1), integer(0)}) +
           "b";
  }
  std::string array(const std::string& code, const std::vector<int64_t>& shape,
                    const std::string& raw, bool column_major = false) const {
    std::vector<std::string> sizes;
    for (const int64_t d : shape) sizes.push_back(integer(d));
    return "cnumpy.core.multiarray\n_reconstruct\n" +
           tuple({"cnumpy\nndarray\n", tuple({integer(0)}), bytes("b")}) + "R" +
           tuple({integer(1), tuple(sizes), dtype(code), column_major ? "\x88" : "\x89",
                  bytes(raw)}) +
           "b";
  }

  struct Sparse {
    int64_t num_rows, num_cols;
    std::vector<int32_t> indptr, indices;
    std::vector<float> data;
  };
  std::string sparse(const Sparse& m, const std::string& format = "csr") const {
    const auto length = [](const auto& v) { return static_cast<int64_t>(v.size()); };
    return "cscipy.sparse." + format + "\n" + format + "_matrix\n)\x81}(" + name("format") +
           name(format) + name("_shape") + tuple({integer(m.num_rows), integer(m.num_cols)}) +
           name("maxprint") + integer(50) + name("indptr") +
           array("i4", {length(m.indptr)}, raw_bytes(m.indptr)) + name("indices") +
           array("i4", {length(m.indices)}, raw_bytes(m.indices)) + name("data") +
           array("f4", {length(m.data)}, raw_bytes(m.data)) + "ub";
  }

  // collections.defaultdict(list)
  static std::string adjacency(const std::vector<std::vector<int32_t>>& neighbours) {
    std::string out = "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(";
    for (size_t i = 0; i < neighbours.size(); ++i) {
      std::vector<std::string> ids;
      for (const int32_t id : neighbours[i]) ids.push_back(integer(id));
      out += integer(static_cast<int64_t>(i)) + list(ids);
    }
    return out + "u";
  }

 private:
  template <class T, class V>
  static std::string le(V value) {
    const auto narrow = static_cast<T>(value);
    return {reinterpret_cast<const char*>(&narrow), sizeof(T)};
  }
  int protocol_;
};

}  // namespace emgnn::testing
