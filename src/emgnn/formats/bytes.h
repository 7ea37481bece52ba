// SPDX-License-Identifier: Apache-2.0
// A cursor over bytes of unknown origin: every read is checked, every error names the file and the
// offset.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

static_assert(std::endian::native == std::endian::little,
              "the readers copy little-endian numbers as they are");

class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }

  // The next n bytes, as a view into the source.
  std::string_view take(size_t n, std::string_view what) {
    if (n > remaining()) {
      fail(fmt::format("expected {} ({} bytes), but only {} bytes are left", what, n, remaining()));
    }
    const std::string_view view = bytes_.substr(offset_, n);
    offset_ += n;
    return view;
  }

  // The bytes up to the next line feed, which is consumed and not returned.
  std::string_view take_line(std::string_view what) {
    const size_t end = bytes_.find('\n', offset_);
    if (end == std::string_view::npos) fail(fmt::format("expected {} ended by a line feed", what));
    const std::string_view line = bytes_.substr(offset_, end - offset_);
    offset_ = end + 1;
    return line;
  }

  template <class T>
  T read(std::string_view what) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(fmt::format("{}: byte {}: {}", file_, offset_, what));
  }

 private:
  std::string_view bytes_;
  std::string file_;
  size_t offset_ = 0;
};

}  // namespace emgnn
