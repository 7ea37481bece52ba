// SPDX-License-Identifier: Apache-2.0
// emgnn data info: the figures of one dataset.
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/output.h>
#include <emgnn/data/registry.h>

namespace emgnn::cli {

namespace {

using Json = nlohmann::ordered_json;
using Counts = std::vector<std::pair<std::string, int64_t>>;

struct InfoArguments {
  std::string dataset, split, setting, data_dir;
  bool json = false;
};

std::string line(std::string_view key, std::string_view value) {
  return fmt::format("{:12}{}\n", key, value);
}

std::string counts(const Counts& of) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : of) parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string text_of(const DatasetSummary& s) {
  std::string out = line("name", s.name);
  out += line("nodes", s.node_types.empty() ? fmt::format("{}", s.nodes)
                                            : fmt::format("{}: {}", s.nodes, counts(s.node_types)));
  out += line("edges", counts(s.edges));
  out += line("features", fmt::format("{}", s.features));
  out += line("classes", fmt::format("{}, of {} labelled nodes", s.classes, s.labelled));
  out += line("split", s.train == 0 ? "none: choose one"
                                    : fmt::format("train {}, validation {}, test {}", s.train,
                                                  s.validation, s.test));
  out += line("homophily", s.homophily ? fmt::format("{:.3f} of the edges between labelled nodes "
                                                     "join equal classes",
                                                     *s.homophily)
                                       : "no edge joins two labelled nodes");
  out += line("isolated", fmt::format("{} nodes", s.isolated));
  out +=
      line("left out", fmt::format("{} repeated edges, {} self loops", s.duplicates, s.self_loops));
  out += line("splits", fmt::format("{}", fmt::join(s.valid_splits, ", ")));
  if (s.notes.empty()) return out;
  out += "\ninferred\n";
  for (const std::string& note : s.notes) out += "  " + note + "\n";
  return out;
}

Json json_of(const DatasetSummary& s) {
  Json edges = Json::object();
  for (const auto& [relation, count] : s.edges) edges[relation] = count;
  return {{"name", s.name},
          {"nodes", s.nodes},
          {"edges", edges},
          {"features", s.features},
          {"classes", s.classes},
          {"splits", {{"train", s.train}, {"validation", s.validation}, {"test", s.test}}}};
}

// One measured value per molecule.
Json json_of(const MoleculeTable& table) {
  return {{"name", table.name}, {"molecules", table.num_molecules()}, {"targets", 1}};
}

std::string text_of(const MoleculeTable& table) {
  return line("name", table.name) + line("molecules", fmt::format("{}", table.num_molecules())) +
         line("target", table.target_name);
}

// --split SPEC, or as emgnn train has it: --set split=SPEC
std::string split_of(const InfoArguments& arguments) {
  constexpr std::string_view kKey = "split=";
  if (arguments.setting.empty()) return arguments.split;
  EMGNN_CHECK(arguments.setting.starts_with(kKey), "data info knows only --set split=SPEC",
              arguments.setting);
  return arguments.setting.substr(kKey.size());
}

void info(const InfoArguments& arguments) {
  const DatasetRequest request{
      .name = arguments.dataset, .data_dir = arguments.data_dir, .split = split_of(arguments)};
  const auto show = [&](const auto& figures) {
    print(arguments.json
              ? json_of(figures).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"
              : text_of(figures));
  };
  if (!is_molecule_table(request.name)) return show(summarise_dataset(request));
  EMGNN_CHECK(request.split.empty(), "a table of molecules has no split of nodes", request.split);
  show(load_molecules(request));
}

}  // namespace

void add_data_info(CLI::App& data) {
  CLI::App* command = data.add_subcommand("info", "The figures of a dataset, and how it was read");
  const auto arguments = std::make_shared<InfoArguments>();
  command->add_option("dataset", arguments->dataset, "Name of a dataset, or a directory")
      ->type_name("NAME|DIR")
      ->required();
  command->add_flag("--json", arguments->json, "Print one JSON object");
  CLI::Option* split =
      command->add_option("--split", arguments->split, "Which nodes train, validate and test")
          ->type_name("SPEC");
  command->add_option("--set", arguments->setting, "The same in the form of emgnn train")
      ->type_name("split=SPEC")
      ->excludes(split);
  add_data_dir(*command, arguments->data_dir);
  command->callback([arguments] { info(*arguments); });
}

}  // namespace emgnn::cli
