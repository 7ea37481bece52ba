// SPDX-License-Identifier: Apache-2.0
// What the commands that apply a stored model have in common.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include <emgnn/base/context.h>
#include <emgnn/cli/phase_watch.h>
#include <emgnn/cli/status_line.h>
#include <emgnn/run/request.h>

namespace emgnn::cli {

struct ModelArguments {
  std::string run, dataset, data_dir;
  int64_t threads = hardware_threads();
  std::string device = "cpu";
};
// --run, --dataset, --data-dir, --threads, --device
void add_model_options(CLI::App& command, ModelArguments& arguments,
                       const std::string& dataset_help);

// --level, --sets
struct SetArguments {
  std::string level;  // empty: not given
  std::string form = "aps";
};
void add_set_options(CLI::App& command, SetArguments& arguments, const std::string& level_help);
// UsageError unless the level lies between 0 and 1.
void read_sets(const SetArguments& arguments, PredictRequest& request);

// Shows on `line`, which the request refers to, how far the molecules are, and carries Ctrl-C to
// the library.
PredictRequest make_request(const ModelArguments& arguments, StatusLine& line);

// What the service makes of the request, while a PhaseWatch looks at it.
template <class Service>
auto watched(PredictRequest& request, StatusLine& line, const Service& service) {
  PhaseWatch watch(line);
  request.on_phase = [&watch](const Phase& phase) { watch.enter(phase); };
  return service(request);
}

}  // namespace emgnn::cli
