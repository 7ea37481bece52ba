// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace emgnn {

// Of some rows, over the whole distribution of graphs, as plain numbers.
struct Prediction {
  std::vector<int32_t> rows;  // the nodes or molecules
  int64_t width = 0;          // outputs of a row
  // [rows, width]: log-probabilities of the classes, probabilities of the labels, or values in the
  // unit of the target.
  std::vector<double> value;
  // How much the answer hangs on which of the averaged graphs, networks and members of an ensemble
  // is asked. Classes [rows], labels [rows, width]: the mutual information between the answer and
  // the graph, in nats, before the last temperature. Values [rows, width]: the standard deviation.
  std::vector<double> graph_part;
  // Values [rows, width]: the standard deviation of what would be left if all of those agreed, such
  // as errors of measurement; and that of the whole, √(graph_part² + noise²) before calibration.
  // Empty: not known.
  std::vector<double> noise, std;
  // [rows, width]: how probable it is that a single graph answers with this class, or says that
  // this label is there. Empty for values.
  std::vector<double> votes;
};

// The same of some of its rows.
Prediction at_rows(const Prediction& prediction, std::span<const int32_t> rows);

// The mean of every number of predictions of the same rows.
Prediction mean_of(std::span<const Prediction> predictions);

// −Σ p log p in nats of the classes of one row.
double entropy(std::span<const double> log_prob);
// The same of a label that is there with probability p.
double label_entropy(double p);

}  // namespace emgnn
