// SPDX-License-Identifier: Apache-2.0
// In place of zip.cpp and gzip.cpp where EMGNN_ZIP is OFF.
#include <emgnn/base/error.h>
#include <emgnn/formats/gzip.h>
#include <emgnn/formats/zip.h>

namespace emgnn {
namespace {

[[noreturn]] void refuse(std::string_view file) {
  throw UsageError(
      fmt::format("{}: this build unpacks nothing (libzip and zlib were left out): unpack the file "
                  "by other means, or build with -DEMGNN_ZIP=ON",
                  file));
}

}  // namespace

struct ZipReader::Archive {};

ZipReader::ZipReader(std::string_view, std::string file, const ZipLimits&) { refuse(file); }
ZipReader::~ZipReader() = default;
std::vector<std::string> ZipReader::names() const { refuse(file_); }
bool ZipReader::has(const std::string&) const { refuse(file_); }
std::string ZipReader::read(const std::string&) const { refuse(file_); }
void ZipReader::stream(const std::string&, const std::function<void(std::string_view)>&) const {
  refuse(file_);
}

std::string gunzip(std::string_view, const std::string& file, size_t) { refuse(file); }

}  // namespace emgnn
