// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/run_folder.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>

namespace emgnn {

namespace {

void make_writable_folder(const std::filesystem::path& place) {
  std::error_code error;
  std::filesystem::create_directories(place, error);
  if (error)
    throw UsageError(
        fmt::format("{}: cannot create the folder: {}", place.string(), error.message()));
  if (access(place.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(
        fmt::format("{}: cannot write to the folder: {}", place.string(), std::strerror(errno)));
  }
}

}  // namespace

std::string RunFolder::name_of(const std::string& file) const {
  return place_ ? (*place_ / file).string() : file;
}

std::optional<std::string> RunFolder::read(const std::string& file) const {
  if (!place_) return std::nullopt;
  const std::filesystem::path path = *place_ / file;
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error)
    throw UsageError(fmt::format("{}: cannot be read: {}", path.string(), error.message()));
  if (!there) return std::nullopt;
  return read_file(path);
}

std::optional<std::string> RunFolder::read_back(const std::string& file) const {
  const auto kept = kept_.find(file);
  return kept == kept_.end() ? read(file) : std::optional(kept->second);
}

void RunFolder::write(const std::string& file, std::string content) {
  if (!place_) {
    kept_[file] = std::move(content);
    return;
  }
  const std::filesystem::path path = *place_ / file;
  make_writable_folder(path.parent_path());
  write_atomically(path, content);
}

void RunFolder::append(const std::string& file, const std::string& lines) {
  if (place_) {
    append_to_file(*place_ / file, lines);
  } else {
    kept_[file] += lines;
  }
}

void RunFolder::move_to(std::filesystem::path place) {
  place_ = std::move(place);
  for (auto& [file, content] : std::exchange(kept_, {})) write(file, std::move(content));
}

FolderLock::FolderLock(const std::filesystem::path& folder) {
  make_writable_folder(folder);
  descriptor_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw UsageError(
        fmt::format("{}: cannot open the folder: {}", folder.string(), std::strerror(errno)));
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  close(descriptor_);
  // Some file systems have no locks: then nobody can hold one.
  if (reason == EWOULDBLOCK)
    throw UsageError(fmt::format("{}: another process is working in this folder", folder.string()));
  descriptor_ = -1;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace emgnn
