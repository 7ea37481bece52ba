// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/setting_names.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include <emgnn/base/options.h>
#include <emgnn/base/shipped_files.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/load.h>

namespace emgnn {

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kFile = "keys.txt";

// A key on one kind of data.
struct Readers {
  std::string key;
  DataKind kind = DataKind::kGraph;
  Names methods;
};

// Lines "KEY graphs|molecules METHOD ..."; comments begin with #.
std::vector<Readers> parse_keys(std::string_view text) {
  std::vector<Readers> out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    Readers one;
    std::string kind;
    words >> one.key >> kind;
    one.kind = kind == "molecules" ? DataKind::kMolecules : DataKind::kGraph;
    for (std::string method; words >> method;) one.methods.push_back(method);
    out.push_back(std::move(one));
  }
  return out;
}

const std::vector<Readers>& all_readers() {
  static const std::vector<Readers> all = [] {
    for (const ShippedFile& file : shipped_files())
      if (file.path == kFile) return parse_keys(file.text);
    throw InternalError("configs/keys.txt is not part of this build");
  }();
  return all;
}

Names methods_that_read(const std::string& key, DataKind kind) {
  for (const Readers& one : all_readers())
    if (one.key == key && one.kind == kind) return one.methods;
  return {};
}

DataKind other(DataKind kind) {
  return kind == DataKind::kGraph ? DataKind::kMolecules : DataKind::kGraph;
}

}  // namespace

Names setting_names(const std::string& method, DataKind kind) {
  Names out;
  for (const Readers& one : all_readers()) {
    const bool reads =
        std::find(one.methods.begin(), one.methods.end(), method) != one.methods.end();
    if (one.kind == kind && reads) out.push_back(one.key);
  }
  return out;
}

Names all_setting_names() {
  Names out;
  for (const Readers& one : all_readers())
    if (std::find(out.begin(), out.end(), one.key) == out.end()) out.push_back(one.key);
  return out;
}

UsageError unknown_setting(const std::string& key, const std::string& method, DataKind kind,
                           const std::string& where) {
  std::string hint = "see emgnn train --help-config";
  const Names near = near_matches(key, setting_names(method, kind));
  const Names here = methods_that_read(key, kind), there = methods_that_read(key, other(kind));
  if (!here.empty()) {
    hint = fmt::format("it is read by {}", fmt::join(here, ", "));
  } else if (!there.empty()) {
    hint = fmt::format("it is read on {} only",
                       kind == DataKind::kGraph ? "molecules" : "the nodes of a graph");
  } else if (!near.empty()) {
    hint = fmt::format("did you mean {}?", fmt::join(near, " or "));
  }
  return UsageError(fmt::format("{}unknown key \"{}\" for {}; {}", where, key, method, hint));
}

void check_setting_names(const ConfigRequest& request) {
  const DataKind kind = kind_of(request.dataset);
  check_data_kind(request.method, kind, request.dataset);
  const Names known = setting_names(request.method, kind);
  const auto check = [&](const Assignment& a) {
    if (std::find(known.begin(), known.end(), a.key) == known.end())
      throw unknown_setting(a.key, request.method, kind, a.where);
  };
  for (const SettingLayer& layer : request.layers) {
    const bool of_run = stored_run(layer.toml, layer.name).has_value();  // all keys of its method
    for (const Assignment& a : parse_assignments(layer.toml, layer.name, request.method))
      if (!of_run) check(a);
    for (const std::string& text : layer.assignments) check(parse_assignment(text, layer.name));
  }
}

}  // namespace emgnn
