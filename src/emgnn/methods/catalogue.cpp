// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/catalogue.h>

#include <fmt/ranges.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/base/options.h>

namespace emgnn {

namespace {

enum DataFit { kGraphs = 1, kMolecules = 2, kAnyData = 3 };

MethodInfo info(const char* name, DataFit data, std::string summary, const char* plain = "") {
  const bool em = plain[0] != '\0';
  return {name, std::move(summary), (data & kGraphs) != 0, (data & kMolecules) != 0, em, plain};
}

std::vector<MethodInfo> all_methods() {
  std::vector<MethodInfo> all;
#define EMGNN_NETWORK(ID, NAME, EM_NAME, DATA, SUMMARY) \
  all.push_back(info(NAME, DATA, SUMMARY));             \
  all.push_back(info(EM_NAME, DATA, NAME " over a learned distribution of graphs", NAME));
#define EMGNN_METHOD(ID, NAME, DATA, SUMMARY) all.push_back(info(NAME, DATA, SUMMARY));
#include <emgnn/methods/list.inc>
#undef EMGNN_NETWORK
#undef EMGNN_METHOD
  return all;
}

std::vector<std::string> names_for(DataKind kind) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.fits(kind)) names.push_back(method.name);
  return names;
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = all_methods();
  return all;
}

const MethodInfo& method_info(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  const std::vector<std::string> near = near_matches(name, names);
  throw UsageError(fmt::format("unknown method \"{}\"; {} {}", name,
                               near.empty() ? "known:" : "did you mean",
                               fmt::join(near.empty() ? names : near, ", ")));
}

void check_data_kind(const std::string& method, DataKind kind, const std::string& dataset) {
  if (method_info(method).fits(kind)) return;
  throw UsageError(fmt::format("method {} is for {}, and {} is {}; use {}", method,
                               kind == DataKind::kGraph ? "molecules" : "the nodes of a graph",
                               dataset,
                               kind == DataKind::kGraph ? "a graph" : "a table of molecules",
                               fmt::join(names_for(kind), ", ")));
}

}  // namespace emgnn
