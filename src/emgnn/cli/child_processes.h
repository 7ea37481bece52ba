// SPDX-License-Identifier: Apache-2.0
// Runs commands of this program as processes of their own, some at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace emgnn::cli {

struct ChildCommand {
  std::vector<std::string> arguments;  // "train", "--dataset", ...
  std::filesystem::path log;           // its standard error; standard output is dropped
};

struct ChildEnd {
  size_t number = 0;    // of the command
  int status = 0;       // its exit status; 128 + the signal that ended it
  std::string message;  // the last line of its log, without the name of the program; and what helps
};

struct ChildWatch {
  // Called for each that ends; false: no more are started, and those that run are asked to stop.
  std::function<bool(const ChildEnd&)> on_end;
  std::function<void()> on_look = [] {};  // many times a second
  // How long those that are asked to stop may take; then they are killed. None: as long as they want.
  std::optional<std::chrono::milliseconds> patience = {};
};

// An interrupt asks all to stop. Returns when all that were started have ended; Interrupted after an
// interrupt. Ctrl-C on the terminal reaches this process only, and a child ends with it, however it
// ends.
void run_children(const std::vector<ChildCommand>& commands, int64_t at_a_time,
                  const ChildWatch& watch);

// As many of the processes as the memory limit has room for; UsageError that names --jobs where
// `asked` are more than that.
int64_t jobs_within_memory(int64_t jobs, int64_t asked);
// --threads and --memory of each process, of so many at a time.
std::vector<std::string> shared_options(int64_t threads, int64_t at_a_time);

// Why it failed, in a line that begins with `who`.
std::string failure_text(const ChildEnd& end, const std::string& who);
// UsageError, DataError or Error of that text, by the exit status.
[[noreturn]] void throw_failure(const ChildEnd& end, const std::string& who);

}  // namespace emgnn::cli
