// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/zip.h>

#include <zip.h>

#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

// Deflate cannot do better than 1032 to 1, so a larger claim is a lie.
constexpr uint64_t kMaxRatio = 1032;
constexpr size_t kPieceBytes = size_t{1} << 18;

std::string message_of(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

[[noreturn]] void fail_member(const std::string& file, const std::string& name,
                              std::string_view what) {
  throw DataError(fmt::format("{}: member {:?}: {}", file, name, what));
}

// Its place and size, which is bounded.
zip_stat_t find_member(zip_t* zip, const std::string& name, const ZipLimits& limits,
                       const std::string& file) {
  zip_stat_t stat;
  if (zip_stat(zip, name.c_str(), 0, &stat) != 0)
    fail_member(file, name, "no such member in the archive");
  constexpr uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_INDEX | ZIP_STAT_ENCRYPTION_METHOD;
  if ((stat.valid & kNeeded) != kNeeded) fail_member(file, name, "its sizes are not stated");
  if (stat.encryption_method != ZIP_EM_NONE) fail_member(file, name, "it is encrypted");
  if (stat.size > limits.max_member_bytes) {
    fail_member(file, name,
                fmt::format("claims {} bytes, more than the {} that are read", stat.size,
                            limits.max_member_bytes));
  }
  if (stat.size / kMaxRatio > stat.comp_size) {
    fail_member(file, name,
                fmt::format("claims {} bytes from {}: no archive packs so tightly", stat.size,
                            stat.comp_size));
  }
  return stat;
}

}  // namespace

struct ZipReader::Archive {
  zip_t* zip = nullptr;
  ~Archive() {
    if (zip != nullptr) zip_discard(zip);
  }
};

ZipReader::ZipReader(std::string_view bytes, std::string file, const ZipLimits& limits)
    : file_(std::move(file)), limits_(limits), archive_(std::make_unique<Archive>()) {
  if (bytes.empty())
    throw DataError(fmt::format("{}: the file is empty: expected a zip archive", file_));
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) throw DataError(fmt::format("{}: {}", file_, message_of(error)));
  archive_->zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
  if (archive_->zip == nullptr) {
    zip_source_free(source);
    throw DataError(fmt::format("{}: not a readable zip archive: {}", file_, message_of(error)));
  }
  zip_error_fini(&error);
  const auto members = static_cast<uint64_t>(zip_get_num_entries(archive_->zip, 0));
  if (members > limits_.max_members) {
    throw DataError(
        fmt::format("{}: {} members are more than {}", file_, members, limits_.max_members));
  }
}

ZipReader::~ZipReader() = default;

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> names;
  const auto members = static_cast<uint64_t>(zip_get_num_entries(archive_->zip, 0));
  for (uint64_t i = 0; i < members; ++i) {
    if (const char* name = zip_get_name(archive_->zip, i, 0)) names.emplace_back(name);
  }
  return names;
}

bool ZipReader::has(const std::string& name) const {
  return zip_name_locate(archive_->zip, name.c_str(), 0) >= 0;
}

std::string ZipReader::read(const std::string& name) const {
  std::string bytes;
  bytes.reserve(find_member(archive_->zip, name, limits_, file_).size);
  stream(name, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

void ZipReader::stream(const std::string& name,
                       const std::function<void(std::string_view)>& take) const {
  const zip_stat_t stat = find_member(archive_->zip, name, limits_, file_);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> in(
      zip_fopen_index(archive_->zip, stat.index, 0), zip_fclose);
  if (!in) fail_member(file_, name, zip_strerror(archive_->zip));
  std::string piece(kPieceBytes, '\0');
  for (uint64_t have = 0;;) {  // up to the end, where libzip compares the checksum
    const zip_int64_t got = zip_fread(in.get(), piece.data(), piece.size());
    if (got < 0) fail_member(file_, name, zip_file_strerror(in.get()));
    if (got == 0 && have < stat.size)
      fail_member(file_, name, fmt::format("holds {} bytes but claims {}", have, stat.size));
    if (got == 0) return;
    have += static_cast<uint64_t>(got);
    if (have > stat.size)
      fail_member(file_, name, fmt::format("holds more than the {} bytes it claims", stat.size));
    take(std::string_view(piece).substr(0, static_cast<size_t>(got)));
  }
}

}  // namespace emgnn
