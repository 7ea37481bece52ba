// SPDX-License-Identifier: Apache-2.0
// A headless Chromium that is told what to do: keys as from a keyboard, scripts as from its console.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"

namespace emgnn::cli_test {

// Speaks the DevTools protocol over two pipes. Throws std::runtime_error when there is no answer.
class Chromium {
 public:
  explicit Chromium(const Workplace& place);
  ~Chromium();
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  // A file of the place, until it is loaded.
  void open(const std::string& file, int width, int height);
  nlohmann::json value_of(const std::string& expression);
  // Down and up: "Tab", "Enter", "ArrowDown"; `shift` is held meanwhile.
  void press(const std::string& key, bool shift = false);

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters);
  std::string next_message();
  void start();

  std::string folder_, session_, unread_;
  int to_ = -1, from_ = -1, last_id_ = 0;
  pid_t pid_ = -1;
};

}  // namespace emgnn::cli_test
