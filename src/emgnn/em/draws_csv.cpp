// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/draws_csv.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace emgnn {

namespace {

// Of one line.
std::string comment(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return "# " + text + "\n";
}

}  // namespace

std::string draws_csv(const ParameterSpace& space, const ChainDraws& draws, size_t chain,
                      const DrawsHeader& header) {
  const std::vector<std::string> names = space.coordinate_names();
  const std::vector<int64_t>& ids = draws.lam_ids[chain];
  std::string out =
      comment("method = sample") + comment(fmt::format("num_samples = {}", ids.size()));
  out += comment(fmt::format("num_warmup = {}", header.warmup)) + comment("save_warmup = 0");
  out += comment("thin = 1") + comment(fmt::format("id = {}", chain + 1));
  for (const std::string& line : header.about) out += comment(line);
  for (size_t c = 0; c < names.size(); ++c)
    out += comment(fmt::format("lambda.{} = {}", c + 1, names[c]));
  out += "lp__,accept_stat__";
  for (size_t c = 0; c < names.size(); ++c) out += fmt::format(",lambda.{}", c + 1);
  out += "\n";
  for (size_t i = 0; i < ids.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{},{}", draws.log_density[chain][i],
                   draws.accept[chain][i]);
    for (double x : space.point(ids[i])) fmt::format_to(std::back_inserter(out), ",{}", x);
    out += "\n";
  }
  return out;
}

}  // namespace emgnn
