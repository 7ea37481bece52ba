// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/source_files.h>

#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/data/published_files.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {

SourceFiles::SourceFiles(std::filesystem::path data_dir, std::string dataset, Checksums checksums)
    : data_dir_(std::move(data_dir)), dataset_(std::move(dataset)), checksums_(checksums) {}

SourceFile SourceFiles::read(const std::string& path) const {
  const std::filesystem::path full = data_dir_ / path;
  if (!std::filesystem::exists(full)) {
    throw DataError(fmt::format("{}: no such file; {}, --data-dir says where it is", full.string(),
                                how_to_get(path, dataset_)));
  }
  SourceFile file{full.string(), read_file(full)};
  const PublishedFile* published = find_published_file(path);
  if (checksums_ == Checksums::kIgnore || published == nullptr || published->sha256.empty())
    return file;
  if (file.bytes.size() != published->bytes) {
    throw DataError(fmt::format("{}: {} bytes, but the published file has {}", file.path,
                                file.bytes.size(), published->bytes));
  }
  if (const std::string sum = sha256_hex(file.bytes); sum != published->sha256) {
    throw DataError(fmt::format("{}: SHA-256 {}... is not that of the published file, {}...",
                                file.path, sum.substr(0, 12), published->sha256.substr(0, 12)));
  }
  return file;
}

}  // namespace emgnn
