// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/run_identity.h>

#include <charconv>

#include <emgnn/base/error.h>

namespace emgnn {

std::map<std::string, std::string> to_metadata(const RunIdentity& identity) {
  return {{"dataset", identity.dataset},
          {"data_sha256", identity.data_sha256},
          {"method", identity.method},
          {"config", identity.config},
          {"seed", std::to_string(identity.seed)}};
}

RunIdentity parse_identity(const std::map<std::string, std::string>& metadata,
                           const std::string& name) {
  const auto entry = [&](const std::string& key) -> const std::string& {
    const auto found = metadata.find(key);
    if (found == metadata.end()) throw DataError(fmt::format("{}: {} is missing", name, key));
    return found->second;
  };
  RunIdentity out{.dataset = entry("dataset"),
                  .data_sha256 = entry("data_sha256"),
                  .method = entry("method"),
                  .config = entry("config"),
                  .seed = 0};
  const std::string& seed = entry("seed");
  const char* end = seed.data() + seed.size();
  const auto [stop, error] = std::from_chars(seed.data(), end, out.seed);
  if (error != std::errc() || stop != end)
    throw DataError(fmt::format("{}: seed: expected a number, got \"{}\"", name, seed));
  return out;
}

}  // namespace emgnn
