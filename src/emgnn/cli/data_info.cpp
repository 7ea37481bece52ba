// SPDX-License-Identifier: Apache-2.0
// emgnn data info: the figures of one dataset.
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/data/describe.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/data/registry.h>
#include <emgnn/run/out_file.h>

namespace emgnn::cli {

namespace {

using Json = nlohmann::ordered_json;
using Counts = std::vector<std::pair<std::string, int64_t>>;

// Below, a tenth of the molecules is none.
constexpr int64_t kSmallestSplit = 10;
constexpr size_t kMostNames = 20;  // that are shown

struct InfoArguments {
  std::string dataset, split, data_dir, rejects;
  std::vector<std::string> settings;
  bool json = false, quiet = false;
};

std::string line(std::string_view key, std::string_view value) {
  return fmt::format("{:12}{}\n", key, value);
}

std::string counts(const Counts& of) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : of) parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A line per class, label or target.
std::string text_of(const LabelSummary& s) {
  std::string out;
  for (size_t i = 0; i < s.names.size(); ++i) {
    if (i == kMostNames)
      return out + line("", fmt::format("and {} more", s.names.size() - kMostNames));
    const NameSummary& of = s.names[i];
    if (s.kind == LabelKind::kClasses) out += line("", fmt::format("{}: {}", of.name, of.rows));
    if (s.kind == LabelKind::kLabels)
      out += line("", fmt::format("{}: {:.3f} of {}", of.name, of.mean, of.rows));
    if (s.kind == LabelKind::kValues) {
      out += line("", fmt::format("{}: mean {:.3f}, deviation {:.3f}, {:.4g} to {:.4g}, of {}",
                                  of.name, of.mean, of.std, of.min, of.max, of.rows));
    }
  }
  return out;
}

std::string inferred(const std::vector<std::string>& notes) {
  std::string out = notes.empty() ? "" : "\ninferred\n";
  for (const std::string& note : notes) out += "  " + note + "\n";
  return out;
}

std::string text_of(const DatasetSummary& s) {
  std::string out = line("name", s.name);
  out += line("nodes", s.node_types.empty() ? fmt::format("{}", s.nodes)
                                            : fmt::format("{}: {}", s.nodes, counts(s.node_types)));
  out += line("edges", counts(s.edges));
  out += line("features", fmt::format("{}", s.features));
  if (s.labels.kind == LabelKind::kNone) {
    out += line("labels", "none");
  } else {
    out += line(name_of(s.labels.kind),
                fmt::format("{}, of {} labelled nodes", s.labels.names.size(), s.labels.known));
    out += text_of(s.labels);
  }
  out += line("split", s.train == 0 ? "none: choose one"
                                    : fmt::format("train {}, validation {}, test {}", s.train,
                                                  s.validation, s.test));
  if (s.labels.kind == LabelKind::kClasses) {
    out += line("homophily", s.homophily ? fmt::format("{:.3f} of the edges between labelled nodes "
                                                       "join equal classes",
                                                       *s.homophily)
                                         : "no edge joins two labelled nodes");
  }
  out += line("isolated", fmt::format("{} nodes", s.isolated));
  out +=
      line("left out", fmt::format("{} repeated edges, {} self loops", s.duplicates, s.self_loops));
  out += line("splits", fmt::format("{}", fmt::join(s.valid_splits, ", ")));
  return out + inferred(s.notes);
}

Json names_of(const LabelSummary& s) {
  Json names = Json::array();
  for (const NameSummary& of : s.names) names.push_back(of.name);
  return names;
}

Json json_of(const DatasetSummary& s) {
  Json edges = Json::object();
  for (const auto& [relation, count] : s.edges) edges[relation] = count;
  return {{"name", s.name},
          {"nodes", s.nodes},
          {"edges", edges},
          {"features", s.features},
          {"classes", s.classes},
          {"splits", {{"train", s.train}, {"validation", s.validation}, {"test", s.test}}},
          {"task", name_of(s.labels.kind)},
          {"labels", names_of(s.labels)}};
}

Json json_of(const MoleculeSummary& s) {
  return {{"name", s.name},
          {"molecules", s.molecules},
          {"targets", s.targets},
          {"task", name_of(s.labels.kind)},
          {"labels", names_of(s.labels)}};
}

std::string text_of(const MoleculeSummary& s) {
  std::string out = line("name", s.name);
  out += line("molecules", fmt::format("{}, with {} scaffolds", s.molecules, s.scaffolds));
  out += line("atoms", fmt::format("{:.2f} in the mean, {} at most; {:.2f} bonds", s.atoms_mean,
                                   s.atoms_max, s.bonds_mean));
  out += line("targets", s.targets == 0 ? "none: name one with --set data.target=COLUMN"
                                        : fmt::format("{}, {}", s.targets, name_of(s.labels.kind)));
  out += text_of(s.labels);
  out += line("split", s.train == 0 ? "none: choose one"
                                    : fmt::format("train {}, validation {}, test {}", s.train,
                                                  s.validation, s.test));
  out += line("splits", fmt::format("{}", fmt::join(s.valid_splits, ", ")));
  out += line("rejected", fmt::format("{} rows", s.rejects));
  for (const Reject& reject : s.first_rejects)
    out += fmt::format("  row {}: {} {}\n", reject.row, reject.smiles, reject.reason);
  return out + inferred(s.notes);
}

// What --split and --set say.
struct Chosen {
  std::string split;
  std::string task = "auto";
  MoleculeColumns columns;
};

void apply(const std::string& setting, bool molecules, Chosen& chosen) {
  const size_t equals = setting.find('=');
  EMGNN_CHECK(equals != std::string::npos, "--set expects key=value", setting);
  const std::string key = setting.substr(0, equals), value = setting.substr(equals + 1);
  std::vector<std::string> known;
  bool found = false;
  ForEachOption visitor([&](const OptionInfo& info, OptionRef field) {
    known.push_back(info.key);
    if (info.key != key) return;
    found = true;
    assign(info, field, value);
  });
  visitor.text("split", chosen.split, "");
  visitor.text("task", chosen.task, "");
  if (molecules) describe(visitor, chosen.columns);
  EMGNN_CHECK(found, fmt::format("data info knows only --set {}", fmt::join(known, ", ")), key);
}

MoleculeSummary molecule_summary(const InfoArguments& arguments, const Chosen& chosen,
                                 Progress& progress) {
  MoleculeRequest request{.name = arguments.dataset, .data_dir = arguments.data_dir};
  request.options.columns = chosen.columns;
  request.task = chosen.task;
  request.options.conformers.count = 0;  // no figure needs coordinates
  const MoleculeTable table = load_molecules(
      request, [&](const MoleculeProgress& molecules) { return progress.on_molecule(molecules); });
  if (!arguments.rejects.empty()) {
    stop_if_interrupted();
    write_atomically(arguments.rejects, rejects_csv(table.rejects));
  }
  const bool asked = !chosen.split.empty() || !chosen.columns.split.empty();
  const bool by_default =
      table.labels.kind != LabelKind::kNone && table.num_molecules() >= kSmallestSplit;
  return describe(table, asked || by_default ? make_split(table, {.spec = chosen.split}) : Split{});
}

void info(const InfoArguments& arguments) {
  check_known(arguments.dataset);
  check_not_data(arguments.rejects, arguments.dataset, arguments.data_dir);
  check_not_of_run(arguments.rejects, {}, "rejects.csv");
  const bool molecules = is_molecule_table(arguments.dataset);
  Chosen chosen{.split = arguments.split};
  for (const std::string& setting : arguments.settings) apply(setting, molecules, chosen);
  EMGNN_CHECK(molecules || arguments.rejects.empty(), "--rejects is for tables of molecules",
              arguments.dataset);
  catch_interrupts();
  const Context::Scope scope{listening_context()};
  Progress progress(1, arguments.quiet);
  progress.on_phase({"reading " + arguments.dataset});
  const auto show = [&](const auto& figures) {
    stop_if_interrupted();
    print(arguments.json ? json_line(json_of(figures)) : text_of(figures));
  };
  if (molecules) return show(molecule_summary(arguments, chosen, progress));
  show(summarise_dataset({.name = arguments.dataset,
                          .data_dir = arguments.data_dir,
                          .split = chosen.split,
                          .task = chosen.task}));
}

}  // namespace

void add_data_info(CLI::App& data) {
  CLI::App* command = data.add_subcommand("info", "What a dataset holds, and how it was read");
  const auto arguments = std::make_shared<InfoArguments>();
  command
      ->add_option("dataset", arguments->dataset,
                   "Name of a dataset, a directory, or a file of molecules")
      ->type_name("NAME|DIR|FILE")
      ->required();
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->add_option("--split", arguments->split, "What trains, validates and tests")
      ->type_name("SPEC");
  command
      ->add_option("--set", arguments->settings,
                   "split=SPEC as above, task=classes|labels|values, or for molecules data.smiles, "
                   "data.target, data.split")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command->add_option("--rejects", arguments->rejects, "Write the rows that cannot be read here")
      ->type_name("F.csv");
  command->add_flag("--quiet", arguments->quiet, "No progress on stderr");
  add_data_dir(*command, arguments->data_dir);
  command->callback([arguments] { info(*arguments); });
}

}  // namespace emgnn::cli
