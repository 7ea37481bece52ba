// SPDX-License-Identifier: Apache-2.0
// Zip archives in memory. Sizes are bounded before anything is allocated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

struct ZipLimits {
  uint64_t max_member_bytes = uint64_t{1} << 30;  // inflated
  uint64_t max_members = 10'000;
};

class ZipReader {
 public:
  // `bytes` must outlive the reader.
  ZipReader(std::string_view bytes, std::string file, const ZipLimits& limits = {});
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  std::vector<std::string> names() const;
  bool has(const std::string& name) const;

  // The inflated member; its checksum has been compared. DataError when it is missing, damaged,
  // encrypted or too large.
  std::string read(const std::string& name) const;

  // The same piece by piece, for members that need not be in memory as a whole. Damage may show only
  // after the last piece.
  void stream(const std::string& name, const std::function<void(std::string_view)>& take) const;

  const std::string& file() const { return file_; }

 private:
  struct Archive;
  std::string file_;
  ZipLimits limits_;
  std::unique_ptr<Archive> archive_;
};

}  // namespace emgnn
