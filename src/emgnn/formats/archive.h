// SPDX-License-Identifier: Apache-2.0
// Files of our own that are read back only whole: magic | payload size | payload checksum |
// payload. What a type consists of is said once, for both directions, by archive(a, value).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <emgnn/base/array.h>
#include <emgnn/formats/bytes.h>

namespace emgnn {

// `magic` has eight characters.
std::string sealed(std::string_view magic, std::string_view payload);
// The payload, a view into `bytes`; nothing when anything was changed.
std::optional<std::string_view> unsealed(std::string_view magic, std::string_view bytes);

class ArchiveWriter {
 public:
  void raw(const void* data, size_t size) { out_.append(static_cast<const char*>(data), size); }
  uint64_t count(uint64_t n, size_t) {
    raw(&n, sizeof(n));
    return n;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : in_(bytes, "cache") {}
  void raw(void* data, size_t size) {
    const std::string_view bytes = in_.take(size, "a field");
    if (size != 0) std::memcpy(data, bytes.data(), size);
  }
  // The stored count of items of so many bytes at least.
  uint64_t count(uint64_t, size_t item_bytes) {
    const auto n = in_.read<uint64_t>("a count");
    if (n > in_.remaining() / item_bytes) in_.fail("a count beyond the end");
    return n;
  }
  bool at_end() const { return in_.remaining() == 0; }

 private:
  ByteReader in_;
};

template <class A, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void archive(A& a, T& value) {
  a.raw(&value, sizeof(T));
}

template <class A>
void archive(A& a, std::string& text) {
  text.resize(a.count(text.size(), 1));
  a.raw(text.data(), text.size());
}

template <class A, class T>
void archive(A& a, std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    values.resize(a.count(values.size(), sizeof(T)));
    a.raw(values.data(), values.size() * sizeof(T));
  } else {
    values.resize(a.count(values.size(), 1));
    for (T& value : values) archive(a, value);
  }
}

// A writer only looks: an array in somebody else's memory stays there.
template <class T>
void archive(ArchiveWriter& a, Array<T>& values) {
  a.count(values.size(), sizeof(T));
  a.raw(std::as_const(values).data(), values.size() * sizeof(T));
}

template <class T>
void archive(ArchiveReader& a, Array<T>& values) {
  values.resize(a.count(values.size(), sizeof(T)));
  a.raw(values.data(), values.size() * sizeof(T));
}

template <class A, class... T>
void archive_all(A& a, T&... values) {
  (archive(a, values), ...);
}

}  // namespace emgnn
