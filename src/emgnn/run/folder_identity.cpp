// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/folder_identity.h>

#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/run/manifest.h>

namespace emgnn {

using Json = nlohmann::ordered_json;

void check_same_config(const RunFolder& folder, const RunConfig& config,
                       const std::string& method) {
  check_same_values(folder, config.values(), method);
}

void check_same_data(const RunFolder& folder, const Data& data) {
  const auto text = folder.read(kManifestFile);
  const Json there = text ? Json::parse(*text, nullptr, false) : Json();
  const std::string file = folder.name_of(kManifestFile);
  if (!there.is_object() || !there.contains("data") || !there["data"].contains("sha256"))
    throw DataError(fmt::format("{}: data.sha256 is missing", file));
  refuse_other(file, "data.sha256", there["data"]["sha256"].dump(), Json(fingerprint(data)).dump());
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
