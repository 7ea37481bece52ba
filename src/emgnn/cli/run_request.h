// SPDX-License-Identifier: Apache-2.0
// What the commands that train have in common.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/run/request.h>

namespace emgnn::cli {

// The options of a series of runs.
struct RunArguments {
  std::string data_dir, out;
  int64_t runs = 1;
  int64_t seed = 0;
  int64_t threads = hardware_threads();
  std::string device = "cpu";
  bool json = false, quiet = false;
};
// Validators: an empty value is a mistake, often an unset variable of a script; CLI11 takes the nearest
// number that fits instead of one that does not.
std::string not_empty(const std::string& value);
std::string whole_number(const std::string& text);
// The options --threads, --device and --memory, and what they ask for. UsageError that names the option.
void add_device(CLI::App& command, int64_t& threads, std::string& device);
Context make_context(int64_t threads, const std::string& device);

// All but --runs and --out, and with them.
void add_one_run_options(CLI::App& command, RunArguments& arguments);
void add_run_options(CLI::App& command, RunArguments& arguments);
void check(const RunArguments& arguments);  // UsageError that names the option

RunRequest make_request(ConfigRequest config, const RunArguments& arguments);

bool holds_files(const std::filesystem::path& folder);  // it, or a folder in it

// A folder for what an interrupted command without --out leaves behind: a name that is not taken.
std::filesystem::path rescue_folder(const std::string& stem);

// How an interruption is told: where the checkpoint is and which command resumes from it, or starts
// again where there is none. `resume` is the command where the folder alone is enough; else empty.
struct WayOn {
  std::string invocation, resume;
};
Interrupted with_way_on(const Interrupted& stop, const RunArguments& arguments,
                        const std::filesystem::path& rescue, const WayOn& commands);

}  // namespace emgnn::cli
