// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/fetch.h>

#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/data/published_files.h>
#include <emgnn/data/registry.h>
#include <emgnn/formats/checksum.h>
#include <emgnn/formats/zip.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

// A zip that holds the wanted file under a name of its own: the member with the right checksum.
std::string find_member(const fs::path& archive, std::string_view sha256) {
  const std::string bytes = read_file(archive);
  const ZipReader zip(bytes, archive.string());
  for (const std::string& name : zip.names()) {
    if (!name.ends_with(".pkl")) continue;
    if (std::string member = zip.read(name); sha256_hex(member) == sha256) return member;
  }
  throw DataError(fmt::format("{}: no member has the published checksum", archive.string()));
}

void fetch_file(const PublishedFile& file, const fs::path& path, const std::string& mirror,
                const DownloadObserver& observer) {
  if (file.home.empty() && mirror.empty()) {
    throw DataError(fmt::format("{}: {}; --mirror URL takes it from a server that has it",
                                path.string(), how_to_get(file.path, "")));
  }
  Download what{mirror.empty() ? file.url() : mirror + "/" + std::string(file.path), path,
                std::string(file.sha256)};
  const bool inside_zip =
      mirror.empty() && file.remote.ends_with(".zip") && !file.path.ends_with(".zip");
  if (!inside_zip) {
    if (file.bytes > 0) what.max_bytes = file.bytes;
    return download(what, observer);
  }
  what.path += ".zip";
  what.sha256.clear();
  download(what, observer);
  const std::string member = find_member(what.path, file.sha256);
  write_atomically(path, member);
  fs::remove(what.path);
}

}  // namespace

std::vector<FetchedFile> fetch_dataset(const FetchRequest& request, const FetchObserver& observer) {
  const DatasetInfo& info = dataset_info(request.name);
  const fs::path data_dir = request.data_dir.empty() ? default_data_dir() : request.data_dir;
  std::vector<FetchedFile> fetched;
  for (size_t i = 0; i < info.files.size(); ++i) {
    const PublishedFile* file = find_published_file(info.files[i]);
    EMGNN_DCHECK(file != nullptr);
    const fs::path path = data_dir / info.files[i];
    const bool good =
        fs::exists(path) && (file->sha256.empty() || sha256_file(path) == file->sha256);
    if (!good) {
      fetch_file(*file, path, request.mirror, [&](uint64_t received, uint64_t total) {
        return !observer || observer({info.files[i], i, info.files.size(), received, total});
      });
    }
    fetched.push_back({info.files[i], !good, fs::file_size(path)});
  }
  return fetched;
}

}  // namespace emgnn
