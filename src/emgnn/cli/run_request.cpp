// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/run_request.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include <emgnn/base/memory.h>
#include <emgnn/base/shell_quoted.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/run/setting_names.h>
#include <emgnn/run/stored_request.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxRuns = 1'000'000;

constexpr int64_t kMaxSeed = std::numeric_limits<int64_t>::max();

}  // namespace

std::string not_empty(const std::string& value) {
  return value.empty() ? "the value is empty" : "";
}

std::string whole_number(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= 0) return "";
  return fmt::format("expected a whole number from 0 to {}, found {}", kMaxSeed, text);
}

void add_device(CLI::App& command, int64_t& threads, std::string& device) {
  command.add_option("--threads", threads, "Threads; results do not depend on it")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--device", device, "cpu, cuda or cuda:INDEX")
      ->type_name("DEVICE")
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--memory",
          [](const std::string& amount) {
            try {
              // The limit until now is what was free at the start: more would end in a kill.
              const int64_t asked = parse_bytes(amount), free = memory_limit();
              limit_memory(free > 0 ? std::min(asked, free) : asked);
            } catch (const UsageError& error) {
              throw UsageError(fmt::format("--memory: {}", error.what()));
            }
          },
          "Take no more memory than this, such as 8G, and never more than is free at the start")
      ->type_name("AMOUNT");
}

Context make_context(int64_t threads, const std::string& device) {
  EMGNN_CHECK(threads >= 1 && threads <= kMaxThreads,
              fmt::format("--threads must be 1 to {}", kMaxThreads), threads);
  try {
    return Context(static_cast<int>(threads), parse_device(device), interrupt_requested);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--device: {}", error.what()));
  }
}

void add_one_run_options(CLI::App& command, RunArguments& arguments) {
  command.add_option("--seed", arguments.seed, "Seed of the first run")
      ->type_name("S")
      ->check(whole_number)
      ->capture_default_str();
  add_data_dir(command, arguments.data_dir);
  add_device(command, arguments.threads, arguments.device);
  command.add_flag("--json", arguments.json, "Print one JSON object instead of a table");
  command.add_flag("--quiet", arguments.quiet, "Only errors on standard error");
}

void add_run_options(CLI::App& command, RunArguments& arguments) {
  command.add_option("--runs", arguments.runs, "Number of runs, with seeds S, S+1, ...")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--out", arguments.out, "Keep everything in this folder; resumes what is in it")
      ->type_name("DIR")
      ->check(not_empty);
  add_one_run_options(command, arguments);
}

void check(const RunArguments& arguments) {
  EMGNN_CHECK(arguments.runs >= 1 && arguments.runs <= kMaxRuns,
              fmt::format("--runs must be 1 to {}", kMaxRuns), arguments.runs);
  EMGNN_CHECK(arguments.seed <= kMaxSeed - (arguments.runs - 1),
              fmt::format("--seed: the last of {} runs would have a seed above {}", arguments.runs,
                          kMaxSeed),
              arguments.seed);
  make_context(arguments.threads, arguments.device);
}

RunRequest make_request(ConfigRequest config, const RunArguments& arguments) {
  check_setting_names(config);
  RunRequest request{.config = std::move(config),
                     .data_dir = arguments.data_dir,
                     .seed = static_cast<uint64_t>(arguments.seed),
                     .runs = arguments.runs,
                     .out = std::nullopt,
                     .rescue = {},
                     .context = make_context(arguments.threads, arguments.device)};
  if (!arguments.out.empty()) request.out = arguments.out;
  return request;
}

bool holds_files(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->is_regular_file(error)) return true;
  return false;
}

fs::path rescue_folder(const std::string& stem) {
  fs::path path = stem + ".checkpoint";
  std::error_code error;  // a place that cannot be looked at is told when it is written to
  for (int i = 2; fs::exists(path, error); ++i) path = fmt::format("{}-{}.checkpoint", stem, i);
  return path;
}

Interrupted with_way_on(const Interrupted& stop, const RunArguments& arguments,
                        const fs::path& rescue, const WayOn& commands) {
  const bool kept = !arguments.out.empty();
  const std::string folder = kept ? arguments.out : rescue.string();
  // Stopped before there was anything to keep, or it could not be kept.
  if (!holds_files(folder))
    return Interrupted(fmt::format("{}; to start again: {}", stop.what(), commands.invocation));
  if (!commands.resume.empty() && holds_request(folder))
    return Interrupted(fmt::format("{}; the checkpoint is in {}; to resume: {} {}", stop.what(),
                                   folder, commands.resume, shell_quoted(folder)));
  const std::string add = kept ? "" : " --out " + shell_quoted(folder);
  return Interrupted(fmt::format("{}; the checkpoint is in {}; to resume: {}{}", stop.what(),
                                 folder, commands.invocation, add));
}

}  // namespace emgnn::cli
