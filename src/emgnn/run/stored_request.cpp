// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/stored_request.h>

#include <nlohmann/json.hpp>

#include <emgnn/base/file.h>
#include <emgnn/base/version.h>
#include <emgnn/run/json_file.h>
#include <emgnn/run/same_run.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool all_finished(const fs::path& folder, const RunRequest& request) {
  std::error_code error;
  for (int64_t r = 0; r < request.runs; ++r)
    if (!fs::exists(folder_of_run(folder, request, r) / kResultsFile, error)) return false;
  return true;
}

// Another version may train otherwise, and the run would be neither its work nor that of the first.
void check_version(const Json& manifest, const fs::path& path) {
  const auto there = value_at<std::string>(manifest, "/program/emgnn", path);
  if (there == version()) return;
  throw UsageError(fmt::format(
      "{}: the run was begun by emgnn {}, this is {}: resume it with that version, or train again "
      "with another --out",
      path.string(), there, version()));
}

}  // namespace

const std::string& called(const RunRequest& request) {
  return request.called.empty() ? request.config.dataset : request.called;
}

Json call_json(const RunRequest& request, bool all_runs) {
  Json out = {{"dataset", called(request)},
              {"runs", all_runs ? request.runs : 1},
              {"hide_test", request.hide_test},
              {"rank_graphs", request.rank_graphs},
              {"all_edges", request.all_edges}};
  if (!request.data_dir.empty())
    out["data_dir"] = fs::weakly_canonical(fs::absolute(request.data_dir)).string();
  return out;
}

bool holds_request(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "manifest.json", error) && fs::exists(folder / "config.toml", error);
}

StoredRequest stored_request(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw UsageError(fmt::format("{}: no such folder", folder.string()));
  if (!holds_request(folder)) {
    throw UsageError(
        fmt::format("{}: no run to resume: it has no manifest.json and config.toml; repeat the "
                    "command that trained with --out",
                    folder.string()));
  }
  const fs::path path = folder / "manifest.json", config = folder / "config.toml";
  const Json manifest = parse_object(read_file(path), path);
  if (!manifest.contains(kCallEntry)) {
    throw UsageError(
        fmt::format("{}: the run was begun by a version of emgnn that did not say how; repeat its "
                    "command with the same --out",
                    path.string()));
  }
  StoredRequest out;
  RunRequest& request = out.request;
  request.config = {.dataset = value_at<std::string>(manifest, "/dataset", path),
                    .method = value_at<std::string>(manifest, "/method", path),
                    .layers = {{.name = config.string(), .toml = read_file(config)}}};
  stored_values(request.config.layers.front().toml, config.string(), request.config.method);
  if (manifest[kCallEntry].contains("dataset"))
    request.called = value_at<std::string>(manifest, "/call/dataset", path);
  request.seed = value_at<uint64_t>(manifest, "/seed", path);
  request.runs = value_at<int64_t>(manifest, "/call/runs", path);
  request.seed_folders = !holds_single_run(folder);
  request.hide_test = value_at<bool>(manifest, "/call/hide_test", path);
  request.rank_graphs = value_at<bool>(manifest, "/call/rank_graphs", path);
  request.all_edges = value_at<bool>(manifest, "/call/all_edges", path);
  if (manifest[kCallEntry].contains("data_dir"))
    request.data_dir = value_at<std::string>(manifest, "/call/data_dir", path);
  request.out = folder;
  if (request.runs < 1)
    throw DataError(fmt::format("{}: damaged: call/runs is {}", path.string(), request.runs));
  out.finished = all_finished(folder, request);
  if (!out.finished) check_version(manifest, path);
  return out;
}

}  // namespace emgnn
