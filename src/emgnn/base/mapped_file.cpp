// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/mapped_file.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <emgnn/base/error.h>

namespace emgnn {

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto fail = [&](const char* why) {
    throw DataError(fmt::format("{}: {}", path.string(), why));
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(std::strerror(errno));
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  std::shared_ptr<MappedFile> out(new MappedFile);
  out->size_ = regular ? static_cast<size_t>(status.st_size) : 0;
  void* data = nullptr;
  if (out->size_ > 0) data = ::mmap(nullptr, out->size_, PROT_READ, MAP_SHARED, file, 0);
  const int error = errno;
  ::close(file);
  if (!regular) fail("not a regular file");
  if (data == MAP_FAILED) {
    out->size_ = 0;
    fail(std::strerror(error));
  }
  out->data_ = static_cast<const char*>(data);
  return out;
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace emgnn
