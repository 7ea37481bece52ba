// SPDX-License-Identifier: Apache-2.0
// What a loader makes of the files of one dataset, before a split is chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>

namespace emgnn {

struct NamedSplit {
  std::string name;
  Split split;
};

struct ParsedDataset {
  Dataset dataset;                    // its split is empty
  std::vector<NamedSplit> splits;     // those that come with the data; the first is the default
  int64_t num_duplicates = 0;         // edges found more than once, kept once
  int64_t num_self_loops = 0;         // left out
  bool features_are_default = false;  // no node came with features of its own
  std::vector<std::string> notes;     // what an importer inferred, one line each
};

}  // namespace emgnn
