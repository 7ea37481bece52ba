// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace emgnn {

// A folder of files by name, kept in memory until it is given a place on the disk. There every file
// appears whole or not at all. UsageError when the folder cannot be made or written to.
class RunFolder {
 public:
  std::string name_of(const std::string& file) const;  // for messages
  // Nothing: no such file, or kept in memory.
  std::optional<std::string> read(const std::string& file) const;
  // The same, also of what is kept in memory.
  std::optional<std::string> read_back(const std::string& file) const;
  void write(const std::string& file, std::string content);
  void append(const std::string& file, const std::string& lines);  // to a file written before

  // Writes what is kept in memory; later files go straight to the disk.
  void move_to(std::filesystem::path place);

 private:
  std::optional<std::filesystem::path> place_;
  std::map<std::string, std::string> kept_;  // while there is no place
};

// While it lives no other process works in the folder. UsageError when one does. The lock ends with
// the process, however it ends; temporary files that a killed one has left are removed.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace emgnn
