// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw Error(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

// Closes and removes the temporary file unless it has been renamed into place.
struct Temporary {
  std::filesystem::path path;
  int fd;

  ~Temporary() {
    if (fd >= 0) close(fd);
    if (!path.empty()) unlink(path.c_str());
  }
};

using Pieces = std::span<const std::string_view>;

// Whether check_stop() may end it halfway.
enum class Ends { kOnlyWhole, kWhenAsked };

// What may end halfway is flushed to disk now and then, so that no flush takes long.
void write_all(int fd, const std::filesystem::path& path, Pieces pieces, Ends ends) {
  constexpr size_t kAtATime = size_t{64} << 20;
  size_t unflushed = 0;
  for (std::string_view piece : pieces) {
    while (!piece.empty()) {
      if (ends == Ends::kWhenAsked) check_stop();
      const ssize_t written = write(fd, piece.data(), std::min(kAtATime, piece.size()));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path, "cannot write");
      piece.remove_prefix(static_cast<size_t>(written));
      unflushed += static_cast<size_t>(written);
      if (ends == Ends::kOnlyWhole || unflushed < kAtATime) continue;
      if (fdatasync(fd) != 0) fail(path, "cannot write");
      unflushed = 0;
    }
  }
}

void write_into(const std::filesystem::path& path, int flags, Pieces pieces) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) fail(path, "cannot write");
  try {
    write_all(fd, path, pieces, Ends::kOnlyWhole);
  } catch (...) {
    close(fd);
    throw;
  }
  if (close(fd) != 0) fail(path, "cannot write");
}

void write_beside(const std::filesystem::path& to, Pieces pieces, Ends ends) {
  struct stat status {};
  const bool exists = stat(to.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return write_into(to, O_WRONLY, pieces);
  // A link that leads nowhere is replaced.
  const bool link = exists && std::filesystem::is_symlink(to);
  const std::filesystem::path path = link ? std::filesystem::canonical(to) : to;
  static std::atomic<uint64_t> counter = 0;  // threads of one process may write at once
  const std::filesystem::path name = fmt::format("{}.tmp{}-{}", path.string(), getpid(), counter++);
  Temporary temporary{name, open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  if (temporary.fd < 0) {
    temporary.path.clear();
    fail(path, "cannot write");
  }
  write_all(temporary.fd, path, pieces, ends);
  if (fsync(temporary.fd) != 0) fail(path, "cannot write");
  const int fd = std::exchange(temporary.fd, -1);
  if (close(fd) != 0) fail(path, "cannot write");
  if (rename(name.c_str(), path.c_str()) != 0) fail(path, "cannot rename into place");
  temporary.path.clear();
}

}  // namespace

void write_atomically(const std::filesystem::path& to, std::string_view content) {
  write_beside(to, Pieces(&content, 1), Ends::kOnlyWhole);
}

void write_atomically(const std::filesystem::path& to, Pieces pieces) {
  write_beside(to, pieces, Ends::kWhenAsked);
}

void append_to_file(const std::filesystem::path& path, std::string_view text) {
  write_into(path, O_WRONLY | O_CREAT | O_APPEND, Pieces(&text, 1));
}

std::string read_file(const std::filesystem::path& path, uint64_t max_bytes) {
  const auto refuse = [&](std::string_view why) {
    throw DataError(fmt::format("{}: {}", path.string(), why));
  };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) refuse(std::strerror(errno));
  const Temporary closed_at_the_end{{}, fd};
  struct stat status {};
  if (fstat(fd, &status) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse("not a regular file");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > max_bytes)
    refuse(fmt::format("{} bytes are more than the {} that are read", size, max_bytes));
  std::string content(size, '\0');
  for (size_t have = 0; have < content.size();) {
    const ssize_t got = read(fd, content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::strerror(errno));
    if (got == 0) refuse("the file shrank while it was read");
    have += static_cast<size_t>(got);
  }
  return content;
}

}  // namespace emgnn
