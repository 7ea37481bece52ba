// SPDX-License-Identifier: Apache-2.0
// Which run a folder belongs to. UsageError where it is another one, DataError where a file of the
// folder is damaged.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include <emgnn/data/data.h>
#include <emgnn/run/config.h>
#include <emgnn/run/same_run.h>

namespace emgnn {

// As check_same_values.
void check_same_config(const RunFolder& folder, const RunConfig& config, const std::string& method);
// A finished run of data that has changed since is not this run.
void check_same_data(const RunFolder& folder, const Data& data);

void add_to_manifest(RunFolder& folder, const std::string& key, nlohmann::ordered_json value);

}  // namespace emgnn
