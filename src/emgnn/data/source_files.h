// SPDX-License-Identifier: Apache-2.0
// The files of one named dataset, read on demand and compared with their published checksums.
#pragma once

#include <filesystem>
#include <string>

namespace emgnn {

enum class Checksums { kRequire, kIgnore };

struct SourceFile {
  std::string path;  // as shown in errors
  std::string bytes;
};

class SourceFiles {
 public:
  SourceFiles(std::filesystem::path data_dir, std::string dataset, Checksums checksums);

  // DataError when the file is missing (with the way to get it) or is not the published one.
  SourceFile read(const std::string& path) const;

 private:
  std::filesystem::path data_dir_;
  std::string dataset_;
  Checksums checksums_;
};

}  // namespace emgnn
