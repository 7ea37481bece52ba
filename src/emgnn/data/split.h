// SPDX-License-Identifier: Apache-2.0
// Which labelled nodes are for training, validation and test. One grammar for every dataset:
//   NAME                 a split that comes with the data: planetoid, gtn, emgnn, am-gcn, column
//   geom-gcn             the ten of geom-gcn in turn: (seed + run) mod 10;  geom-gcn:I  the I-th
//   random:A/B/C         shares of the labelled nodes, shuffled by the seed
// and, where the labels are classes,
//   labels-per-class:K   the first K training ids of each class of the default split; the other
//                        parts as they are; or the split of this name, where the data has one
//   stratified:A/B/C     shares within each class
//   per-class:K[/V/T]    K random nodes of each class, then V and T of the others; without V and T
//                        half of the others each
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

struct SplitRequest {
  std::string spec;   // empty: the dataset's default
  uint64_t seed = 0;  // random splits of run r are drawn with seed + r
  int run = 0;
};

// UsageError when the spec is unknown or malformed, or asks for what the labels do not allow.
Split make_split(const ParsedDataset& parsed, const SplitRequest& request);

// What this dataset allows, for messages and `data info`.
std::vector<std::string> valid_splits(const ParsedDataset& parsed);

}  // namespace emgnn
