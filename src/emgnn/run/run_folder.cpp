// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/run_folder.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/run/same_run.h>

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

// "results.json.tmp4711-3", as write_atomically names them.
bool is_temporary(const std::string& name) {
  const auto digits = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  const size_t mark = name.rfind(".tmp"), dash = name.rfind('-');
  return mark != std::string::npos && dash != std::string::npos && dash > mark &&
         digits(name.substr(mark + 4, dash - mark - 4)) && digits(name.substr(dash + 1));
}

// In the folder, in those of its runs and in their checkpoints; nothing else is ours.
void remove_temporaries(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<fs::path> found, inner;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (at->is_directory(error) && (name == kCheckpointFolder || name.starts_with("seed-")))
      inner.push_back(at->path());
    if (is_temporary(name) && at->is_regular_file(error)) found.push_back(at->path());
  }
  for (const fs::path& path : found) fs::remove(path, error);
  for (const fs::path& path : inner) remove_temporaries(path);
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
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
    remove_temporaries(folder);
    return;
  }
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
