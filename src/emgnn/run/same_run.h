// SPDX-License-Identifier: Apache-2.0
// Which run a folder belongs to, as far as can be told without its data. UsageError where it is another
// one, DataError where a file of the folder is damaged.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <emgnn/run/request.h>
#include <emgnn/run/run_folder.h>

namespace emgnn {

inline constexpr const char* kConfigFile = "config.toml";
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kResultsFile = "results.json";
inline constexpr const char* kCheckpointFolder = "checkpoint";
inline constexpr const char* kCheckpointFile = "checkpoint/state.safetensors";

// What a folder belongs to. Also the first part of its manifest.
nlohmann::ordered_json identity_json(const ConfigRequest& config, uint64_t seed, bool several);

// The settings that the text of a config.toml says, by key. DataError that names the file where it is
// damaged.
std::map<std::string, std::string> stored_values(const std::string& text, const std::string& file,
                                                 const std::string& method);

void check_same_identity(const RunFolder& folder, const nlohmann::ordered_json& identity);
// By values: a key that is not in the file is at its default, as when the file was written.
void check_same_values(const RunFolder& folder, const std::map<std::string, std::string>& values,
                       const std::string& method);

// UsageError that `key` differs in a file, if it does.
void refuse_other(const std::string& file, const std::string& key, const std::string& there,
                  const std::string& here);

// Whether each run has a folder of its own.
bool has_seed_folders(const RunRequest& request);
// Whether the folder is that of one run, without folders of seeds.
bool holds_single_run(const std::filesystem::path& folder);
// The folder of run r of a series.
std::filesystem::path folder_of_run(const std::filesystem::path& out, const RunRequest& request,
                                    int64_t r);

}  // namespace emgnn
