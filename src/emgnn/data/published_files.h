// SPDX-License-Identifier: Apache-2.0
// The files of the named datasets: where each lies under the data directory, its public home, size
// and checksum.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace emgnn {

struct PublishedFile {
  std::string_view path;  // under the data directory
  std::string_view home;  // URL up to the last slash; empty: published nowhere in this form
  std::string_view
      remote;  // its name there; a .zip where `path` is none: the member with the right checksum
  uint64_t bytes;  // 0 with an empty checksum: not known
  std::string_view sha256;

  std::string url() const { return std::string(home) + std::string(remote); }
};

std::span<const PublishedFile> published_files();
const PublishedFile* find_published_file(std::string_view path);  // nullptr: none

// "'emgnn data fetch NAME' downloads it", or that nobody publishes this file of the dataset.
std::string how_to_get(std::string_view path, const std::string& dataset);

}  // namespace emgnn
