// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/train_request.h>

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/presets.h>

namespace emgnn::cli {

namespace {

std::string read_config(const std::string& file) {
  try {
    return read_file(file);
  } catch (const DataError& error) {
    throw UsageError(fmt::format("--config: {}", error.what()));
  }
}

}  // namespace

void add_config_options(CLI::App& command, ConfigArguments& arguments) {
  command
      .add_option("--dataset", arguments.dataset,
                  "Name of a dataset, a directory, or a file of molecules")
      ->type_name("NAME|DIR|FILE");
  command.add_option("--method", arguments.method, "What to train; 'emgnn methods' lists them")
      ->type_name("METHOD");
  command.add_option("--set", arguments.settings, "Change one setting; repeatable, after --config")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command
      .add_option(
          "--config", arguments.config_file,
          "Read settings from a TOML file; config.toml of a run also names its dataset and method")
      ->type_name("F.toml")
      ->check(not_empty);
  std::vector<std::string> names = {kNoPreset, "auto (chosen by the data)"};
  for (const Preset& preset : presets()) names.push_back(preset.name);
  command
      .add_option("--preset", arguments.preset,
                  fmt::format("Shipped settings for such data: {}", fmt::join(names, ", ")))
      ->type_name("PRESET")
      ->check(not_empty);
}

void complete(ConfigArguments& arguments) {
  if (arguments.config_file.empty()) return;
  const auto run = stored_run(read_config(arguments.config_file), arguments.config_file);
  if (!run) return;
  if (arguments.dataset.empty()) arguments.dataset = run->dataset;
  if (arguments.method.empty()) arguments.method = run->method;
}

ConfigRequest config_of(const ConfigArguments& arguments) {
  ConfigRequest request{.dataset = arguments.dataset, .method = arguments.method, .layers = {}};
  if (!arguments.config_file.empty()) {
    request.layers.push_back({.name = arguments.config_file,
                              .toml = read_config(arguments.config_file),
                              .assignments = {}});
  }
  request.layers.push_back({.name = "--set", .toml = "", .assignments = arguments.settings});
  if (!arguments.preset.empty())
    request.layers.push_back(
        {.name = "--preset", .toml = "", .assignments = {"preset=" + arguments.preset}});
  return request;
}

void check(const ConfigArguments& arguments, const std::string& command) {
  for (const auto& [name, value] :
       {std::pair{"--dataset", &arguments.dataset}, std::pair{"--method", &arguments.method}})
    if (value->empty())
      throw UsageError(fmt::format("{} is required; see emgnn {} --help", name, command));
}

}  // namespace emgnn::cli
