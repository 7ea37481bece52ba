// SPDX-License-Identifier: Apache-2.0
// Datasets by name, and directories of the user's own: the one door through which the program gets
// its data. Tables of molecules have a door of their own, load_molecules.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/data/describe.h>
#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

struct DatasetInfo {
  std::string name;
  std::string kind;     // citation, web, heterogeneous, social, interaction, molecules, generated
  std::string summary;  // one line
  std::vector<std::string> files;   // under the data directory
  std::vector<std::string> splits;  // the first is the default
};

std::vector<DatasetInfo> list_datasets();
const DatasetInfo& dataset_info(const std::string& name);  // UsageError that lists the names
bool is_molecule_table(const std::string& name);  // for load_molecules, not for load_dataset
void check_known(const std::string& name);        // UsageError unless it is one of these three
bool is_own_graph(const std::string& name);       // a directory or *.emgnn, and no name of the list

// Settings for large graphs suit it, as far as can be told without reading it: the options of a
// generated graph, the header of a file, the size of a directory's tables.
bool is_large_graph(const std::string& name);

struct DatasetRequest {
  std::string name;                // a name of the list, or a directory
  std::filesystem::path data_dir;  // empty: default_data_dir()
  std::string split;               // grammar in split.h; empty: the dataset's default
  std::string task = "auto";       // what an own graph's labels are: auto, classes, labels, values
  uint64_t seed = 0;
  int run = 0;  // run r of --runs: random splits are drawn with seed + r
  bool directed_relations =
      false;                    // heterogeneous sets: MD and DM apart instead of one symmetric MD
  bool row_normalise = false;   // x_i / Σ x_i, zero rows stay zero
  double perturb = 0.0;         // percent of the edges that are replaced, drawn with seed + run
  bool with_split = true;       // else the split is empty, and no node needs a label
  bool allow_modified = false;  // accept published files that were changed: no checksums, no counts
  bool use_cache = true;
};

// The dataset with its split; everything has been checked. Published counts are compared unless
// allow_modified.
Dataset load_dataset(const DatasetRequest& request);

// The same before a split is chosen: all splits that come with the data, and notes on what was
// inferred.
ParsedDataset parse_dataset(const DatasetRequest& request);

// The figures of `data info`; a graph without labels or split has empty parts.
DatasetSummary summarise_dataset(const DatasetRequest& request);

// $EMGNN_DATA, else the user's cache directory.
std::filesystem::path default_data_dir();

}  // namespace emgnn
