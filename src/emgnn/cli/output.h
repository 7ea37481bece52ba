// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace emgnn::cli {

// Error when the text does not arrive in full (a full disk, a closed pipe).
void print(std::string_view text);

// As one line. What is not UTF-8 in a name, such as a path, is replaced.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace emgnn::cli
