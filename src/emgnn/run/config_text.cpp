// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/config_text.h>

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <set>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

constexpr std::string_view kMethodTable = "method", kRecipeTable = "recipe", kRunTable = "run",
                           kPresetTable = "preset";

std::string type_name(const toml::node& node) {
  return std::string(
      std::string_view(toml::impl::node_type_friendly_names[static_cast<size_t>(node.type())]));
}

std::string text_of(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_string()) return value->get();
  return "";
}

void add_table(const toml::table& table, const std::string& prefix, const std::string& file,
               std::vector<Assignment>& out) {
  for (const auto& [key, node] : table) {
    const bool no_setting = key.str() == kMethodTable || key.str() == kRecipeTable ||
                            key.str() == kRunTable || key.str() == kPresetTable;
    if (prefix.empty() && no_setting && node.is_table()) continue;
    const std::string full =
        prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      add_table(*inner, full, file, out);
      continue;
    }
    out.push_back({.key = full,
                   .value = text_of(node),
                   .where = fmt::format("{}:{}: ", file, node.source().begin.line),
                   .toml_type = type_name(node)});
  }
}

toml::table parse(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

std::vector<Assignment> assignments_of(const toml::table& all, const std::string& file,
                                       const std::string& method) {
  std::vector<Assignment> out;
  add_table(all, "", file, out);
  if (const toml::table* own = all[kMethodTable][method].as_table()) add_table(*own, "", file, out);
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if ((c >= 0 && c < ' ') || c == '\x7f') {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_value(const ConfigEntry& entry) {
  if (entry.kind == ConfigEntry::Kind::kText || entry.kind == ConfigEntry::Kind::kChoice)
    return quoted(entry.value);
  const bool whole = entry.value.find_first_of(".e") == std::string::npos;
  return entry.kind == ConfigEntry::Kind::kReal && whole ? entry.value + ".0" : entry.value;
}

}  // namespace

bool Assignment::fits(ConfigEntry::Kind kind) const {
  if (toml_type.empty()) return true;
  switch (kind) {
    case ConfigEntry::Kind::kFlag:
      return toml_type == "boolean";
    case ConfigEntry::Kind::kInteger:
      return toml_type == "integer";
    case ConfigEntry::Kind::kReal:
      return toml_type == "integer" || toml_type == "floating-point";
    case ConfigEntry::Kind::kText:
    case ConfigEntry::Kind::kChoice:
      return toml_type == "string";
  }
  return false;
}

std::vector<Assignment> parse_assignments(std::string_view text, const std::string& file,
                                          const std::string& method) {
  return assignments_of(parse(text, file), file, method);
}

std::vector<Assignment> recipe_assignments(std::string_view text, const std::string& file,
                                           const std::string& method, const std::string& recipe) {
  const toml::table all = parse(text, file);
  const toml::table* own = all[kRecipeTable][recipe].as_table();
  return own == nullptr ? std::vector<Assignment>() : assignments_of(*own, file, method);
}

Assignment parse_assignment(std::string_view text, const std::string& layer) {
  const size_t equals = text.find('=');
  EMGNN_CHECK(equals != std::string_view::npos && equals > 0, layer + " expects key=value", text);
  return {.key = std::string(text.substr(0, equals)),
          .value = std::string(text.substr(equals + 1)),
          .where = "",
          .toml_type = ""};
}

std::vector<Assignment> tables_below(std::string_view table, std::string_view text,
                                     const std::string& file) {
  const toml::table all = parse(text, file);
  std::vector<Assignment> out;
  if (const toml::table* names = all[table].as_table()) {
    for (const auto& [name, node] : *names) {
      out.push_back({.key = std::string(name.str()),
                     .value = "",
                     .where = fmt::format("{}:{}: ", file, node.source().begin.line),
                     .toml_type = type_name(node)});
    }
  }
  return out;
}

std::string to_toml(const std::vector<ConfigEntry>& entries) {
  std::set<std::string> keys;
  for (const ConfigEntry& entry : entries) keys.insert(entry.key);
  // A table may stand only once: its keys are gathered from all who read some. Beside a key of its
  // name (task, task.loss) it may not stand at all: such keys are quoted.
  std::string out;
  std::vector<std::string> sections;
  for (const ConfigEntry& entry : entries) {
    const size_t dot = entry.key.find('.');
    const std::string of = entry.key.substr(0, dot);
    if (dot == std::string::npos || keys.contains(of)) {
      const std::string name = dot == std::string::npos ? entry.key : quoted(entry.key);
      out += fmt::format("{} = {}  # {}\n", name, toml_value(entry), entry.help);
    } else if (std::find(sections.begin(), sections.end(), of) == sections.end()) {
      sections.push_back(of);
    }
  }
  for (const std::string& of : sections) {
    out += fmt::format("\n[{}]\n", of);
    for (const ConfigEntry& entry : entries) {
      if (!entry.key.starts_with(of + ".")) continue;
      out += fmt::format("{} = {}  # {}\n", entry.key.substr(of.size() + 1), toml_value(entry),
                         entry.help);
    }
  }
  return out;
}

PresetTable preset_table(std::string_view text, const std::string& file) {
  const toml::table all = parse(text, file);
  const toml::table* table = all[kPresetTable].as_table();
  if (table == nullptr) throw UsageError(fmt::format("{}: a preset has a table [preset]", file));
  PresetTable out;
  for (const auto& [key, node] : *table) {
    if (key.str() == "summary" && node.is_string()) {
      out.summary = text_of(node);
    } else if (key.str() == "data" && node.is_string()) {
      out.data = text_of(node);
    } else if (key.str() == "from" && node.is_array()) {
      for (const toml::node& path : *node.as_array()) out.from.push_back(text_of(path));
    } else {
      throw UsageError(
          fmt::format("{}:{}: [preset] holds the texts summary and data and the list from", file,
                      node.source().begin.line));
    }
  }
  return out;
}

std::string to_toml(const StoredRun& run) {
  return fmt::format("\n[{}]\ndataset = {}\nmethod = {}\n", kRunTable, quoted(run.dataset),
                     quoted(run.method));
}

std::optional<StoredRun> stored_run(std::string_view text, const std::string& file) {
  const toml::table all = parse(text, file);
  const toml::table* table = all[kRunTable].as_table();
  if (table == nullptr) return std::nullopt;
  StoredRun out;
  for (const auto& [key, node] : *table) {
    const std::string where = fmt::format("{}:{}: ", file, node.source().begin.line);
    const bool dataset = key.str() == "dataset";
    if ((!dataset && key.str() != "method") || !node.is_string())
      throw UsageError(where + "[run] holds the texts dataset and method, and nothing else");
    (dataset ? out.dataset : out.method) = text_of(node);
  }
  return out;
}

}  // namespace emgnn
