// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  // Of graph_part, in the same unit, what is between networks and members: I(answer; network), or
  // the standard deviation of their means. Empty: there is one network.
  std::vector<double> network_part;
  // What would be left if all of those agreed. Classes [rows], labels [rows, width]: the expected
  // entropy of a single one, E[H(p)]. Values [rows, width]: the standard deviation, such as that of
  // errors of measurement, and std, that of the whole, √(graph_part² + noise²). Empty: not known.
  std::vector<double> noise, std;
  // [rows, width]: how probable it is that a single graph answers with this class, or says that
  // this label is there. Empty for values.
  std::vector<double> votes;
};

// The same of some of its rows.
Prediction at_rows(const Prediction& prediction, std::span<const int32_t> rows);
// The same by their places in it; a place may come several times.
Prediction at_places(const Prediction& prediction, std::span<const size_t> places);

// What graph_part is made of, entry by entry: graphs alone and networks alone. Classes and labels
// add up; values are standard deviations, whose squares do.
struct UncertaintyParts {
  double graph = 0.0, network = 0.0;
};
UncertaintyParts information_parts(const Prediction& prediction, size_t entry);
UncertaintyParts std_parts(const Prediction& prediction, size_t entry);

// The mean of every number of predictions of the same rows.
Prediction mean_of(std::span<const Prediction> predictions);

// −Σ p log p in nats of the classes of one row.
double entropy(std::span<const double> log_prob);
// The same of a label that is there with probability p.
double label_entropy(double p);

}  // namespace emgnn
