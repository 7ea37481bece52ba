// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/same_run.h>

#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/load.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

// Values of "runs" in a manifest.
constexpr const char* kSingleRun = "one";
constexpr const char* kSeveralRuns = "one folder per seed";

}  // namespace

std::map<std::string, std::string> stored_values(const std::string& text, const std::string& file,
                                                 const std::string& method) {
  std::map<std::string, std::string> out;
  try {
    for (const Assignment& a : parse_assignments(text, file, method)) out[a.key] = a.value;
  } catch (const UsageError& error) {
    throw DataError(error.what());
  }
  if (out.empty()) throw DataError(fmt::format("{}: damaged: it has no settings", file));
  return out;
}

void refuse_other(const std::string& file, const std::string& key, const std::string& there,
                  const std::string& here) {
  if (there == here) return;
  throw UsageError(fmt::format(
      "{}: the folder holds another run: {} is {} there and {} here; choose another --out", file,
      key, there, here));
}

Json identity_json(const ConfigRequest& config, uint64_t seed, bool several) {
  return {{"dataset", lasting_name(config.dataset)},
          {"method", config.method},
          {"seed", seed},
          {"runs", several ? kSeveralRuns : kSingleRun}};
}

void check_same_values(const RunFolder& folder, const std::map<std::string, std::string>& values,
                       const std::string& method) {
  const auto text = folder.read(kConfigFile);
  if (!text) return;
  const std::string file = folder.name_of(kConfigFile);
  std::map<std::string, std::string> there = stored_values(*text, file, method);
  for (const auto& [key, value] : values)
    if (there.contains(key)) refuse_other(file, key, there[key], value);
}

void check_same_identity(const RunFolder& folder, const Json& identity) {
  const auto text = folder.read(kManifestFile);
  if (!text) return;
  const std::string file = folder.name_of(kManifestFile);
  const Json there = Json::parse(*text, nullptr, false);
  if (!there.is_object()) throw DataError(fmt::format("{}: damaged: not a JSON object", file));
  for (const auto& [key, value] : identity.items()) {
    if (!there.contains(key)) throw DataError(fmt::format("{}: {} is missing", file, key));
    Json stored = there[key];
    if (key == "dataset" && stored.is_string()) stored = lasting_name(stored.get<std::string>());
    refuse_other(file, key, stored.dump(), value.dump());
  }
}

bool has_seed_folders(const RunRequest& request) {
  return request.seed_folders || request.runs > 1;
}

bool holds_single_run(const std::filesystem::path& folder) {
  RunFolder there;
  there.move_to(folder);
  const Json manifest = Json::parse(there.read(kManifestFile).value_or(""), nullptr, false);
  return manifest.is_object() && manifest.contains("runs") && manifest["runs"] == kSingleRun;
}

std::filesystem::path folder_of_run(const std::filesystem::path& out, const RunRequest& request,
                                    int64_t r) {
  if (!has_seed_folders(request)) return out;
  return out / fmt::format("seed-{}", request.seed + static_cast<uint64_t>(r));
}

}  // namespace emgnn
