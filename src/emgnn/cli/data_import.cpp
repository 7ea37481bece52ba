// SPDX-License-Identifier: Apache-2.0
// emgnn data import: makes a dataset directory of a user's files.
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/output.h>
#include <emgnn/data/own_graph.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  OwnGraphSources sources;
  std::string out;
};

void import_graph(const ImportArguments& arguments) {
  const OwnGraphSources& from = arguments.sources;
  if (from.edges.empty() && from.adjacency.empty() && from.graphml.empty())
    throw UsageError("data import: give the edges with --edges, --adjacency or --graphml");
  const fs::path out = fs::path(arguments.out).lexically_normal();
  const ParsedDataset parsed = load_own_graph(from, out.string());
  write_own_graph(parsed, out);
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
      data.add_subcommand("import", "Make a directory for --dataset of your own files");
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
  command->add_option("--out", arguments->out, "The directory to make; it must not exist")
      ->type_name("DIR")
      ->required();
  add_columns(*command, from.columns);
  command->callback([arguments] { import_graph(*arguments); });
}

}  // namespace emgnn::cli
