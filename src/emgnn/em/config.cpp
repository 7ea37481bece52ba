// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/config.h>

#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <functional>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

void for_each(RunConfig& config, ForEachOption::Handler handler) {
  ForEachOption visitor(std::move(handler));
  describe(visitor, config);
}

ConfigEntry::Kind kind_of(OptionRef field) {
  // In the order of OptionRef's alternatives.
  constexpr ConfigEntry::Kind kKinds[] = {ConfigEntry::Kind::kFlag, ConfigEntry::Kind::kInteger,
                                          ConfigEntry::Kind::kReal, ConfigEntry::Kind::kText,
                                          ConfigEntry::Kind::kChoice};
  return kKinds[field.index()];
}

[[noreturn]] void reject_unknown(RunConfig& config, std::string_view key,
                                 const std::string& where) {
  std::vector<std::string> known;
  for_each(config, [&](const OptionInfo& info, OptionRef) { known.push_back(info.key); });
  const std::vector<std::string> near = near_matches(key, known);
  const std::string hint = near.empty() ? "see emgnn train --help-config"
                                        : fmt::format("did you mean {}?", fmt::join(near, " or "));
  throw UsageError(fmt::format("{}unknown key \"{}\"; {}", where, key, hint));
}

void set_from(RunConfig& config, std::string_view key, const std::string& where,
              const std::function<void(const OptionInfo&, OptionRef)>& assign_field) {
  bool found = false;
  for_each(config, [&](const OptionInfo& info, OptionRef field) {
    if (info.key != key) return;
    found = true;
    try {
      assign_field(info, field);
    } catch (const UsageError& error) {
      throw UsageError(where + error.what());
    }
  });
  if (!found) reject_unknown(config, key, where);
}

// A TOML value is accepted only in the type of its field: text for text and choices, numbers for
// numbers.
void assign_toml(const OptionInfo& info, OptionRef field, const toml::node& node) {
  const auto wrong = [&]() {
    return UsageError(fmt::format(
        "{}: expected {}, got a TOML {}", info.key, accepted_values(info, field),
        std::string_view(toml::impl::node_type_friendly_names[static_cast<size_t>(node.type())])));
  };
  switch (kind_of(field)) {
    case ConfigEntry::Kind::kFlag:
      if (!node.is_boolean()) throw wrong();
      return assign(info, field, node.as_boolean()->get() ? "true" : "false");
    case ConfigEntry::Kind::kInteger:
      if (!node.is_integer()) throw wrong();
      return assign(info, field, std::to_string(node.as_integer()->get()));
    case ConfigEntry::Kind::kReal:
      if (!node.is_number()) throw wrong();
      return assign(info, field, fmt::format("{}", node.value<double>().value()));
    case ConfigEntry::Kind::kText:
    case ConfigEntry::Kind::kChoice:
      if (!node.is_string()) throw wrong();
      return assign(info, field, node.as_string()->get());
  }
}

void read_table(RunConfig& config, const toml::table& table, const std::string& prefix,
                const std::string& name) {
  for (const auto& [key, node] : table) {
    const std::string full =
        prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      read_table(config, *inner, full, name);
      continue;
    }
    const std::string where = fmt::format("{}:{}: ", name, node.source().begin.line);
    set_from(config, full, where,
             [&](const OptionInfo& info, OptionRef field) { assign_toml(info, field, node); });
  }
}

toml::table parse(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
  }
}

std::string toml_value(const ConfigEntry& entry) {
  if (entry.kind == ConfigEntry::Kind::kText || entry.kind == ConfigEntry::Kind::kChoice) {
    std::string quoted = "\"";
    for (char c : entry.value)
      quoted += (c == '"' || c == '\\') ? fmt::format("\\{}", c) : std::string(1, c);
    return quoted + "\"";
  }
  const bool whole = entry.value.find_first_of(".e") == std::string::npos;
  return entry.kind == ConfigEntry::Kind::kReal && whole ? entry.value + ".0" : entry.value;
}

}  // namespace

void describe(OptionVisitor& visitor, RunConfig& config) {
  visitor.text("split", config.data.split,
               "which nodes or molecules train, validate and test; empty: the dataset's own");
  visitor.real(
      "perturb", config.data.perturb, 0.0, 100.0,
      "percent of the edges that are removed at random and replaced by random ones, by the "
      "run's seed");
  visitor.flag("data.normalise_features", config.data.normalise_features,
               "scale each feature row to sum 1");
  visitor.flag("data.directed_relations", config.data.directed_relations,
               "each direction of a relation is an edge type of its own (imdb, acm, dblp)");
  describe(visitor, config.data.molecules);
  describe(visitor, config.train);
}

std::vector<ConfigEntry> entries(const RunConfig& config) {
  RunConfig copy = config;
  std::vector<ConfigEntry> out;
  for_each(copy, [&](const OptionInfo& info, OptionRef field) {
    out.push_back(
        {info.key, info.help, accepted_values(info, field), to_text(info, field), kind_of(field)});
  });
  return out;
}

void set(RunConfig& config, std::string_view key, std::string_view value) {
  set_from(config, key, "",
           [&](const OptionInfo& info, OptionRef field) { assign(info, field, value); });
}

void set(RunConfig& config, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  EMGNN_CHECK(equals != std::string_view::npos && equals > 0, "--set expects key=value",
              assignment);
  set(config, assignment.substr(0, equals), assignment.substr(equals + 1));
}

void read_toml(RunConfig& config, std::string_view text, const std::string& name) {
  read_table(config, parse(text, name), "", name);
}

void read_toml_section(RunConfig& config, std::string_view text, const std::string& name,
                       std::string_view section) {
  const toml::table all = parse(text, name);
  if (const toml::table* table = all[section].as_table()) read_table(config, *table, "", name);
}

std::string to_toml(const RunConfig& config) {
  std::string top, out, section;
  for (const ConfigEntry& entry : entries(config)) {
    const size_t dot = entry.key.find('.');
    const std::string of = dot == std::string::npos ? "" : entry.key.substr(0, dot);
    std::string& target = of.empty() ? top : out;
    if (!of.empty() && of != section) target += fmt::format("\n[{}]\n", section = of);
    target +=
        fmt::format("{} = {}  # {}\n", entry.key.substr(dot + 1), toml_value(entry), entry.help);
  }
  return top + out;
}

}  // namespace emgnn
