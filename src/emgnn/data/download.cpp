// SPDX-License-Identifier: Apache-2.0
#include <curl/curl.h>

#include <cstdio>
#include <memory>
#include <mutex>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/version.h>
#include <emgnn/data/fetch.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

constexpr long kConnectSeconds = 30, kStalledSeconds = 60, kMaxRedirects = 10;

class Transfer {
 public:
  Transfer(const Download& what, const DownloadObserver& observer)
      : what_(what),
        observer_(observer),
        part_(what.path),
        curl_(curl_easy_init(), curl_easy_cleanup) {
    part_ += ".part";
    EMGNN_DCHECK(curl_ != nullptr);
    set(CURLOPT_URL, what.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMaxRedirects);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, kStalledSeconds);
    set(CURLOPT_USERAGENT, ("emgnn/" + version()).c_str());
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, this);
  }

  // Continues the partial file if there is one.
  void run() {
    std::error_code none;
    const uint64_t have = fs::exists(part_) ? fs::file_size(part_, none) : 0;
    start_ = have;
    set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(have));
    const CURLcode code = curl_easy_perform(curl_.get());
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    file_.reset();
    // curl takes "range not satisfiable" for a finished download; the partial file may as well be
    // longer than the real one.
    if (have > 0 && (status == 416 || code == CURLE_RANGE_ERROR)) return restart();
    if (code == CURLE_OK) return;
    if (stopped_)
      throw Interrupted(
          fmt::format("{}: the download was stopped; the next one goes on from there", what_.url));
    if (too_large_)
      throw DataError(fmt::format("{}: more than {} bytes", what_.url, what_.max_bytes));
    throw DataError(fmt::format("{}: {}", what_.url, *error_ ? error_ : curl_easy_strerror(code)));
  }

  const fs::path& part() const { return part_; }
  bool resumed() const { return start_ > 0; }

  // From the beginning: the partial file is of no use.
  void restart() {
    fs::remove(part_);
    run();
  }

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  template <class T>
  void set(CURLoption option, T value) {
    EMGNN_DCHECK(curl_easy_setopt(curl_.get(), option, value) == CURLE_OK);
  }

  // Opens at the first byte: only then is it known whether the server agreed to continue.
  bool open() {
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status != 206) start_ = 0;
    received_ = start_;
    file_.reset(std::fopen(part_.c_str(), start_ > 0 ? "ab" : "wb"));
    return file_ != nullptr;
  }

  static size_t on_bytes(char* data, size_t one, size_t size, void* self) {
    auto& t = *static_cast<Transfer*>(self);
    if (!t.file_ && !t.open()) return 0;
    t.received_ += size;
    t.too_large_ = t.received_ > t.what_.max_bytes;
    return t.too_large_ ? 0 : std::fwrite(data, one, size, t.file_.get());
  }

  static int on_progress(void* self, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
    auto& t = *static_cast<Transfer*>(self);
    if (!t.observer_) return 0;
    const uint64_t whole = total > 0 ? t.start_ + static_cast<uint64_t>(total) : 0;
    t.stopped_ = !t.observer_(t.start_ + static_cast<uint64_t>(now), whole);
    return t.stopped_ ? 1 : 0;
  }

  const Download& what_;
  const DownloadObserver& observer_;
  fs::path part_;
  std::unique_ptr<CURL, void (*)(CURL*)> curl_;
  char error_[CURL_ERROR_SIZE] = {};
  File file_{nullptr, std::fclose};
  uint64_t start_ = 0, received_ = 0;
  bool stopped_ = false, too_large_ = false;
};

// An empty file has no first byte and so has not been opened.
std::string checksum_of(const fs::path& part) {
  if (!fs::exists(part)) write_atomically(part, "");
  return sha256_file(part);
}

}  // namespace

void download(const Download& what, const DownloadObserver& observer) {
  static std::once_flag initialised;
  std::call_once(initialised,
                 [] { EMGNN_DCHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
  fs::create_directories(what.path.parent_path());
  Transfer transfer(what, observer);
  transfer.run();
  std::string sum = checksum_of(transfer.part());
  if (!what.sha256.empty() && sum != what.sha256 &&
      transfer.resumed()) {  // the beginning was another file's
    transfer.restart();
    sum = checksum_of(transfer.part());
  }
  if (!what.sha256.empty() && sum != what.sha256) {
    fs::remove(transfer.part());
    throw DataError(fmt::format("{}: SHA-256 {}... is not that of the published file, {}...",
                                what.url, sum.substr(0, 12), what.sha256.substr(0, 12)));
  }
  fs::rename(transfer.part(), what.path);
}

}  // namespace emgnn
