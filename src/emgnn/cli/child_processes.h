// SPDX-License-Identifier: Apache-2.0
// Runs commands of this program as processes of their own, some at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
  std::string message;  // the last line of its log
};

// `on_end` is called for each that ends; false: no more are started, and those that run are asked to
// stop. After an interrupt likewise. Returns when all that were started have ended; Interrupted after
// an interrupt.
void run_children(const std::vector<ChildCommand>& commands, int64_t at_a_time,
                  const std::function<bool(const ChildEnd&)>& on_end);

}  // namespace emgnn::cli
