// SPDX-License-Identifier: Apache-2.0
// Which run a folder belongs to. UsageError where it is another one, DataError where a file of the
// folder is damaged.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include <emgnn/data/data.h>
#include <emgnn/run/config.h>
#include <emgnn/run/run_folder.h>

namespace emgnn {

inline constexpr const char* kConfigFile = "config.toml";
inline constexpr const char* kManifestFile = "manifest.json";

// What a folder belongs to. Also the first part of its manifest.
nlohmann::ordered_json identity_json(const ConfigRequest& config, uint64_t seed, bool several);

void check_same_identity(const RunFolder& folder, const nlohmann::ordered_json& identity);
// By values: a key that is not in the file is at its default, as when the file was written.
void check_same_config(const RunFolder& folder, const RunConfig& config, const std::string& method);
// A finished run of data that has changed since is not this run.
void check_same_data(const RunFolder& folder, const Data& data);

void add_to_manifest(RunFolder& folder, const std::string& key, nlohmann::ordered_json value);

}  // namespace emgnn
