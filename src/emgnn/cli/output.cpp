// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/output.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>

namespace emgnn::cli {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw Error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace emgnn::cli
