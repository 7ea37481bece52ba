// SPDX-License-Identifier: Apache-2.0
// Which molecules are for training, validation and test:
//   random:A/B/C   a permutation by the seed; floor(A n), floor(B n) and, when the shares sum to 1,
//                  all others. Rows of one group (MoleculeTable::group) go where the first of
//                  them goes, so that a part may have a few more
//   random-rows:A/B/C   the same, and groups do not count
//   random         random:0.8/0.1/0.1
//   scaffold       80/10/10 by Bemis-Murcko scaffold: no scaffold is in two parts
//   column         what the table's split column says
#pragma once

#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/data/molecule.h>
#include <emgnn/data/split.h>

namespace emgnn {

inline constexpr const char* kRandomSplit = "random";
inline constexpr const char* kRandomMoleculeSplit = "random:0.8/0.1/0.1";
inline constexpr const char* kScaffoldSplit = "scaffold";
inline constexpr const char* kColumnSplit = "column";

// Indices into the table. Without a spec: the column if there is one, else
// random:0.8/0.1/0.1. UsageError with the valid list, DataError when a part would be empty.
Split make_split(const MoleculeTable& table, const SplitRequest& request);

std::vector<std::string> valid_splits(const MoleculeTable& table);

}  // namespace emgnn
