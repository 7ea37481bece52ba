// SPDX-License-Identifier: Apache-2.0
// emgnn data import: makes a dataset directory, or one binary file, of a user's files.
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/phase_watch.h>
#include <emgnn/data/graph_file.h>
#include <emgnn/data/node_order.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/data/registry.h>
#include <emgnn/run/out_file.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  OwnGraphSources sources;
  std::string from;  // a dataset by name, instead of files
  std::string out;
  bool quiet = false;
};

ParsedDataset read_sources(const ImportArguments& arguments, const fs::path& out) {
  const OwnGraphSources& from = arguments.sources;
  const bool files = !from.edges.empty() || !from.adjacency.empty() || !from.graphml.empty();
  if (!arguments.from.empty()) {
    if (files || !from.nodes.empty() || !from.features.empty())
      throw UsageError("data import: --from names all of the graph; leave the files out");
    return parse_dataset({.name = arguments.from, .task = from.task});
  }
  if (!files)
    throw UsageError("data import: give the edges with --edges, --adjacency or --graphml");
  if (!has_graph_file_suffix(out)) return load_own_graph(from, out.string());
  ParsedDataset parsed = load_own_graph(from, out.stem().string());
  sort_nodes(parsed);
  return parsed;
}

void import_graph(const ImportArguments& arguments) {
  catch_interrupts();
  const Context::Scope scope{listening_context()};
  const fs::path out = fs::path(arguments.out).lexically_normal();
  if (has_graph_file_suffix(out)) check_is_file(out);
  StatusLine line(arguments.quiet);
  PhaseWatch watch(line);
  watch.enter({"reading the graph"});
  const ParsedDataset parsed = read_sources(arguments, out);
  stop_if_interrupted();
  watch.enter({"writing " + arguments.out, true});
  if (has_graph_file_suffix(out)) {
    check_without_split(parsed.dataset);
    write_graph_file(parsed, out);
  } else {
    write_own_graph(parsed, out);
  }
  std::string text;
  for (const std::string& note : parsed.notes) text += note + "\n";
  print(text + fmt::format("written to {}\n", arguments.out));
}

void add_columns(CLI::App& command, OwnGraphColumns& columns) {
  const auto add = [&](const char* flag, std::string& name, const char* help) {
    command.add_option(flag, name, help)
        ->type_name("COLUMN")
        ->capture_default_str()
        ->group("Names of columns");
  };
  add("--id-column", columns.id, "Nodes: id");
  add("--type-column", columns.type, "Nodes: type");
  add("--label-column", columns.label, "Nodes: class");
  add("--split-column", columns.split, "Nodes: train, validation or test");
  add("--source-column", columns.source, "Edges: one end");
  add("--target-column", columns.target, "Edges: the other end");
  add("--edge-type-column", columns.edge_type, "Edges: relation");
  add("--weight-column", columns.weight, "Edges: weight");
}

}  // namespace

void add_data_import(CLI::App& data) {
  CLI::App* command =
      data.add_subcommand("import", "Make a directory or a file for --dataset of your own files");
  const auto arguments = std::make_shared<ImportArguments>();
  OwnGraphSources& from = arguments->sources;
  CLI::Option* nodes =
      command->add_option("--nodes", from.nodes, "Table of nodes")->type_name("F.csv");
  CLI::Option* edges =
      command->add_option("--edges", from.edges, "Table of edges")->type_name("F.csv");
  command->add_option("--features", from.features, "Features, a row per node")
      ->type_name("F.npy|.npz|.mtx");
  CLI::Option* adjacency =
      command->add_option("--adjacency", from.adjacency, "A relation; repeatable")
          ->type_name("F.mtx")
          ->expected(1)
          ->take_all()
          ->excludes(edges);
  command->add_option("--graphml", from.graphml, "Nodes and edges in one file")
      ->type_name("F.graphml")
      ->excludes(nodes)
      ->excludes(edges)
      ->excludes(adjacency);
  command
      ->add_option("--task", from.task,
                   "What the labels are: auto, classes, labels (several at once) or values")
      ->type_name("TASK")
      ->capture_default_str();
  command->add_option("--from", arguments->from, "A dataset by name or directory, instead of files")
      ->type_name("DATASET");
  command
      ->add_option("--out", arguments->out,
                   "The directory to make, which must not exist; or a file NAME.emgnn, which is "
                   "mapped into memory instead of being read")
      ->type_name("DIR|FILE.emgnn")
      ->required();
  command->add_flag("--quiet", arguments->quiet, "No progress on stderr");
  add_columns(*command, from.columns);
  command->callback([arguments] { import_graph(*arguments); });
}

}  // namespace emgnn::cli
