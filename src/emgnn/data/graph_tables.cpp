// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>
#include <emgnn/data/loaders.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/data/split.h>

namespace emgnn {

ParsedDataset load_graph_tables(const SourceFiles& files, const std::string& directory,
                                const std::string& split) {
  OwnGraphSources sources;
  sources.nodes = files.read(directory + "/nodes.csv").path;
  sources.edges = files.read(directory + "/edges.csv").path;
  sources.task = "classes";
  ParsedDataset parsed = load_own_graph(sources, directory);
  if (parsed.dataset.labels.kind != LabelKind::kClasses)
    throw DataError(fmt::format("{}: no node has a label", sources.nodes.string()));
  parsed.splits = {{"fixed", make_split(parsed, {.spec = split, .seed = 0, .run = 0})}};
  return parsed;
}

}  // namespace emgnn
