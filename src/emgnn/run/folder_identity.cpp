// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/folder_identity.h>

#include <map>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/load.h>
#include <emgnn/run/manifest.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

void refuse(const std::string& file, const std::string& key, const std::string& there,
            const std::string& here) {
  if (there == here) return;
  throw UsageError(fmt::format(
      "{}: the folder holds another run: {} is {} there and {} here; choose another --out", file,
      key, there, here));
}

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

}  // namespace

Json identity_json(const ConfigRequest& config, uint64_t seed, bool several) {
  return {{"dataset", lasting_name(config.dataset)},
          {"method", config.method},
          {"seed", seed},
          {"runs", several ? "one folder per seed" : "one"}};
}

void check_same_config(const RunFolder& folder, const RunConfig& config,
                       const std::string& method) {
  const auto text = folder.read(kConfigFile);
  if (!text) return;
  const std::string file = folder.name_of(kConfigFile);
  std::map<std::string, std::string> there = stored_values(*text, file, method);
  for (const auto& [key, value] : config.values())
    if (there.contains(key)) refuse(file, key, there[key], value);
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
    refuse(file, key, stored.dump(), value.dump());
  }
}

void check_same_data(const RunFolder& folder, const Data& data) {
  const auto text = folder.read(kManifestFile);
  const Json there = text ? Json::parse(*text, nullptr, false) : Json();
  const std::string file = folder.name_of(kManifestFile);
  if (!there.is_object() || !there.contains("data") || !there["data"].contains("sha256"))
    throw DataError(fmt::format("{}: data.sha256 is missing", file));
  refuse(file, "data.sha256", there["data"]["sha256"].dump(), Json(fingerprint(data)).dump());
}

void add_to_manifest(RunFolder& folder, const std::string& key, Json value) {
  const auto text = folder.read_back(kManifestFile);
  Json manifest = text ? Json::parse(*text, nullptr, false) : Json();
  if (!manifest.is_object())
    throw DataError(fmt::format("{}: damaged: not a JSON object", folder.name_of(kManifestFile)));
  manifest[key] = std::move(value);
  folder.write(kManifestFile, manifest.dump(2) + "\n");
}

}  // namespace emgnn
