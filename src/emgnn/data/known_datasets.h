// SPDX-License-Identifier: Apache-2.0
// The table behind the registry: what is published about each named dataset and how it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <emgnn/data/loaders.h>
#include <emgnn/data/registry.h>

namespace emgnn {

struct PublishedCounts {
  int64_t nodes = 0;  // or molecules; 0: nothing is published
  std::map<std::string, int64_t>
      edges;  // by relation; undirected, without self loops and repetitions
  int32_t features = 0;
  std::vector<int64_t> class_sizes;             // labelled nodes of each class
  int64_t train = 0, validation = 0, test = 0;  // of the default split
};

struct KnownDataset {
  DatasetInfo info;
  PublishedCounts counts;
  // One of the two.
  std::function<ParsedDataset(const SourceFiles&)> load;
  std::function<MoleculeRows(const SourceFiles&, const MoleculeColumns&, const std::string& task)>
      read_molecules;
  // The labels of molecules that come without a file, from the coordinates of conformer 0.
  std::function<Labels(const Molecules&)> measure;
};

const std::vector<KnownDataset>& known_datasets();
const KnownDataset* find_known_dataset(const std::string& name);
const KnownDataset& require_known_dataset(const std::string& name);  // UsageError with the names

// DataError that names the first count that differs.
void check_counts(const ParsedDataset& parsed, const PublishedCounts& counts);

}  // namespace emgnn
