// SPDX-License-Identifier: Apache-2.0
// One reader per family of published files. Every structural claim of the layout is checked; counts
// are the registry's.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <emgnn/data/molecule_rows.h>
#include <emgnn/data/parsed_dataset.h>
#include <emgnn/data/source_files.h>

namespace emgnn {

// planetoid/ind.<set>.*: citation graphs with the split of Yang et al. 2016.
ParsedDataset load_planetoid(const SourceFiles& files, const std::string& set);

// The graph, labels and split of ind.pubmed.*, with word presence instead of TF-IDF weights.
ParsedDataset load_pubmed_presence(const SourceFiles& files);

// geom-gcn/<directory>/* and geom-gcn/splits/<split_set>_*: ten splits, "geom-gcn:0" to
// "geom-gcn:9".
ParsedDataset load_geom_gcn(const SourceFiles& files, const std::string& directory,
                            const std::string& split_set);

// gtn/<name>.zip: the nodes of each type have consecutive ids; each relation is stored in both
// directions.
struct GtnLayout {
  struct NodeType {
    std::string name;
    int32_t end;  // ids up to here, from the end of the type before
  };
  struct RelationLayout {
    std::string name;
    size_t source, target;  // node types of the first direction
  };
  struct LabelFile {
    std::string split, path;  // an empty path: labels.pkl inside the zip
  };
  std::string zip;
  std::vector<NodeType> types;
  std::array<RelationLayout, 2> relations;
  size_t labelled_type;
  int32_t num_classes;
  std::vector<LabelFile> labels;  // the first is the default split
};
ParsedDataset load_gtn(const SourceFiles& files, const GtnLayout& layout);

// am-gcn/<name>.zip: who follows whom, with 20, 40 or 60 training nodes of each class: the splits
// "am-gcn" (20), "labels-per-class:40" and "labels-per-class:60". The files have no validation
// part; all three share 500 nodes, the first of those that no file names, shuffled with seed 0.
ParsedDataset load_am_gcn(const SourceFiles& files, const std::string& name);

// <directory>/{nodes,edges}.csv, tables of own_graph.h with classes. Nothing is published about the
// split: "fixed" is `split`, a spec of split.h, drawn with seed 0.
ParsedDataset load_graph_tables(const SourceFiles& files, const std::string& directory,
                                const std::string& split);

// moleculenet/*.csv
MoleculeRows load_moleculenet(const SourceFiles& files, const std::string& path,
                              const MoleculeColumns& columns, const std::string& task);

}  // namespace emgnn
