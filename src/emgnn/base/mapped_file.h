// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace emgnn {

// A file as a part of memory, read when it is looked at. Nothing can be written to it; whoever cuts
// the file off while it is mapped ends the program.
class MappedFile {
 public:
  // DataError that names it when it is missing, no regular file or cannot be read.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile() = default;

  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace emgnn
