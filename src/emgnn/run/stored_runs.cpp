// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/stored_runs.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/formats/safetensors.h>
#include <emgnn/run/json_file.h>
#include <emgnn/run/same_run.h>

namespace emgnn {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The text of a file that every run has.
std::string required(const fs::path& folder, const char* file) {
  const fs::path path = folder / file;
  std::error_code error;
  if (!fs::exists(path, error))
    throw DataError(fmt::format("{}: missing: a run keeps such a file", path.string()));
  return read_file(path);
}

void add_data(const Json& manifest, const fs::path& path, StoredFit& fit, StoredRuns& runs) {
  if (!manifest.contains("data"))
    throw DataError(fmt::format("{}: data is missing", path.string()));
  fit.data_sha256 = value_at<std::string>(manifest, "/data/sha256", path);
  const auto task = value_at<std::string>(manifest, "/data/task", path);
  try {
    runs.labels = kind_of_task(task).value_or(LabelKind::kNone);
  } catch (const UsageError&) {
    throw DataError(fmt::format("{}: damaged: an unknown data.task: {:?}", path.string(), task));
  }
  if (manifest["data"].contains("targets"))
    runs.target_names = value_at<std::vector<std::string>>(manifest, "/data/targets", path);
  for (const auto& [key, value] : manifest.items()) {
    if (!key.ends_with(".csv")) continue;
    const auto kept = value_at<int64_t>(value, "/kept", path);
    fit.cut[key] = fmt::format("{} of {}", kept, value_at<int64_t>(value, "/rows", path));
  }
}

StoredFit read_fit(const fs::path& folder, StoredRuns& runs) {
  StoredFit fit{.folder = folder, .manifest = required(folder, "manifest.json")};
  const fs::path path = folder / "manifest.json";
  const Json manifest = parse_object(fit.manifest, path);
  fit.seed = value_at<uint64_t>(manifest, "/seed", path);
  add_data(manifest, path, fit, runs);
  fit.log = parse_metrics(required(folder, "metrics.jsonl"), (folder / "metrics.jsonl").string());
  const fs::path results = folder / "results.json";
  if (!fs::exists(results)) return fit;
  const std::string text = read_file(results);
  fit.record = parse_single_run(text, results.string());
  fit.verdict =
      value_at<std::vector<std::string>>(parse_object(text, results), "/verdict", results);
  return fit;
}

std::vector<fs::path> folders_of_seeds(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool is_seed = entry.path().filename().string().starts_with("seed-");
    const auto has = [&](const char* file) { return fs::exists(entry.path() / file); };
    // The manifest is the first of them, and its absence is told by whoever reads the run.
    if (is_seed && (has("manifest.json") || has("metrics.jsonl") || has("results.json")))
      out.push_back(entry.path());
  }
  if (out.empty())
    throw UsageError(fmt::format("{}: no run has been started in this folder", folder.string()));
  return out;
}

}  // namespace

std::vector<RunRecord> StoredRuns::finished() const {
  std::vector<RunRecord> out;
  for (const StoredFit& fit : fits)
    if (fit.record) out.push_back(*fit.record);
  return out;
}

const StoredFit& StoredRuns::shown() const {
  const auto found = std::find_if(fits.begin(), fits.end(),
                                  [](const StoredFit& fit) { return fit.record.has_value(); });
  return found == fits.end() ? fits.front() : *found;
}

bool StoredRuns::has_test() const {
  return std::all_of(fits.begin(), fits.end(),
                     [](const StoredFit& fit) { return !fit.record || fit.record->test; });
}

StoredRuns read_runs(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw UsageError(fmt::format("{}: no such folder", folder.string()));
  const fs::path path = folder / "manifest.json";
  if (!fs::exists(path, error)) {
    throw UsageError(
        fmt::format("{}: not the folder of a run: it has no manifest.json", folder.string()));
  }
  const Json manifest = parse_object(read_file(path), path);
  StoredRuns runs{.folder = folder,
                  .dataset = value_at<std::string>(manifest, "/dataset", path),
                  .method = value_at<std::string>(manifest, "/method", path)};
  const bool one = value_at<std::string>(manifest, "/runs", path) == "one";
  runs.config = required(folder, kConfigFile);
  runs.settings = stored_values(runs.config, (folder / kConfigFile).string(), runs.method);
  for (const fs::path& each : one ? std::vector{folder} : folders_of_seeds(folder))
    runs.fits.push_back(read_fit(each, runs));
  std::sort(runs.fits.begin(), runs.fits.end(),
            [](const StoredFit& a, const StoredFit& b) { return a.seed < b.seed; });
  return runs;
}

std::optional<double> stored_temperature(const StoredFit& fit) {
  const fs::path file = fit.folder / "model.safetensors";
  if (!fs::exists(file)) return std::nullopt;
  const TensorArchive archive = decode_tensors(read_file(file), file.string());
  const auto found = archive.tensors.find("calibration/temperature");
  if (found == archive.tensors.end() || found->second.type != TensorData::Type::kF64)
    return std::nullopt;
  const std::vector<double> values = found->second.values<double>();
  if (values.size() != 1 || !(values.front() > 0.0))
    throw DataError(fmt::format("{}: damaged: no temperature", file.string()));
  return values.front();
}

}  // namespace emgnn
