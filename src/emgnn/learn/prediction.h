// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace emgnn {

// Of some rows, over the whole distribution of graphs, as plain numbers.
struct Prediction {
  std::vector<int32_t> rows;  // the nodes or molecules
  int64_t width = 0;          // outputs of a row
  // [rows, width]: log-probabilities of the classes, probabilities of the labels, or values in the
  // unit of the target.
  std::vector<double> value;
  // [rows, width]: the standard deviation of the probability or the value over the graphs, and over
  // the members of an ensemble.
  std::vector<double> spread;
};

}  // namespace emgnn
