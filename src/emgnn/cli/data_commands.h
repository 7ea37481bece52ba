// SPDX-License-Identifier: Apache-2.0
// The larger subcommands of emgnn data.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace emgnn::cli {

void add_data_info(CLI::App& data);
void add_data_fetch(CLI::App& data, const std::string& invocation);
void add_data_import(CLI::App& data);
void add_data_export(CLI::App& data);

void add_data_dir(CLI::App& command, std::string& data_dir);  // the option --data-dir

}  // namespace emgnn::cli
