// SPDX-License-Identifier: Apache-2.0
// The call that began a run, as its folder remembers it: enough to resume the run without it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include <emgnn/run/request.h>

namespace emgnn {

// The entry of manifest.json with what config.toml and the run's identity do not say.
inline constexpr const char* kCallEntry = "call";
// What results call the dataset: as in the call that began the run, wherever it is resumed.
const std::string& called(const RunRequest& request);
// Of the folder of one run, or of all of a request.
nlohmann::ordered_json call_json(const RunRequest& request, bool all_runs);

struct StoredRequest {
  RunRequest request;  // with the folder as its `out`
  bool finished = false;
};

// Whether stored_request has what it needs.
bool holds_request(const std::filesystem::path& folder);
// UsageError when nothing was trained in the folder, or by another version of emgnn and not to the end;
// DataError when a file of the folder is damaged.
StoredRequest stored_request(const std::filesystem::path& folder);

}  // namespace emgnn
