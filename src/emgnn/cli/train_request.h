// SPDX-License-Identifier: Apache-2.0
// What to train, on which data and with which settings, as the command line says it.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include <emgnn/run/request.h>

namespace emgnn::cli {

struct ConfigArguments {
  std::string dataset, method, config_file, preset;
  std::vector<std::string> settings;
};

void add_config_options(CLI::App& command, ConfigArguments& arguments);
// What the command line leaves open comes from the configuration of a run.
void complete(ConfigArguments& arguments);
void check(const ConfigArguments& arguments, const std::string& command);  // UsageError
ConfigRequest config_of(const ConfigArguments& arguments);

}  // namespace emgnn::cli
