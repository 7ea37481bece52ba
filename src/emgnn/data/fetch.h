// SPDX-License-Identifier: Apache-2.0
// Downloads of published files: resumed where they stopped, compared with their checksum, renamed
// into place at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace emgnn {

struct FetchProgress {
  std::string file;             // under the data directory
  size_t index = 0, count = 0;  // of the dataset's files
  uint64_t received = 0;
  uint64_t total = 0;  // 0: not known
};
// Called often; false stops the download (Interrupted), which a later call continues.
using FetchObserver = std::function<bool(const FetchProgress&)>;

struct FetchRequest {
  std::string name;                // of a dataset
  std::filesystem::path data_dir;  // empty: default_data_dir()
  std::string
      mirror;  // a URL with the layout of the data directory, instead of each file's public home
};

struct FetchedFile {
  std::string file;
  bool downloaded = false;  // false: a good copy was there already
  uint64_t bytes = 0;
};

// All files of a dataset. DataError when one cannot be had or is not the published one.
std::vector<FetchedFile> fetch_dataset(const FetchRequest& request,
                                       const FetchObserver& observer = {});

struct Download {
  std::string url;
  std::filesystem::path path;  // ".part" is appended while it is incomplete
  std::string sha256;          // empty: not checked
  uint64_t max_bytes = uint64_t{1} << 30;
};
// received and total bytes so far -> go on?
using DownloadObserver = std::function<bool(uint64_t, uint64_t)>;
void download(const Download& what, const DownloadObserver& observer = {});

}  // namespace emgnn
