// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/checksum.h>

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EMGNN_DCHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(std::string_view bytes) {
    EMGNN_DCHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }
  std::string hex() {
    std::array<unsigned char, 32> digest{};
    EMGNN_DCHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
    return fmt::format("{:02x}", fmt::join(digest, ""));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string sha256_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"),
                                                           std::fclose);
  if (!in) throw DataError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  Sha256 sum;
  std::string buffer(1 << 20, '\0');
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), in.get()))
    sum.add({buffer.data(), got});
  if (std::ferror(in.get()) != 0) throw DataError(fmt::format("{}: cannot be read", path.string()));
  return sum.hex();
}

}  // namespace emgnn
