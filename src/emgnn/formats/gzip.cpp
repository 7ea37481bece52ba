// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/gzip.h>

#include <zlib.h>

#include <emgnn/base/error.h>

namespace emgnn {

std::string gunzip(std::string_view bytes, const std::string& file, size_t max_bytes) {
  std::string out(max_bytes, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  EMGNN_DCHECK(inflateInit2(&stream, kGzipOnly) == Z_OK);
  const int status = inflate(&stream, Z_FINISH);
  const size_t size = stream.total_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw DataError(fmt::format("{}: not a whole gzip file", file));
  out.resize(size);
  return out;
}

}  // namespace emgnn
