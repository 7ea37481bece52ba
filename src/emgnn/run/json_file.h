// SPDX-License-Identifier: Apache-2.0
// What is read back from the JSON files of a run. DataError that names the file.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include <emgnn/base/error.h>

namespace emgnn {

inline nlohmann::ordered_json parse_object(const std::string& text,
                                           const std::filesystem::path& path) {
  nlohmann::ordered_json out = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!out.is_object())
    throw DataError(fmt::format("{}: damaged: not a JSON object", path.string()));
  return out;
}

// A value of a manifest or of results, whatever is wrong with it.
template <class T>
T value_at(const nlohmann::ordered_json& json, const char* pointer,
           const std::filesystem::path& path) {
  try {
    return json.at(nlohmann::ordered_json::json_pointer(pointer)).get<T>();
  } catch (const nlohmann::json::exception&) {
    throw DataError(
        fmt::format("{}: damaged: {} is missing or of another type", path.string(), pointer + 1));
  }
}

}  // namespace emgnn
