// SPDX-License-Identifier: Apache-2.0
// Predictions and distributions as the text of tables.
#pragma once

#include <string>

#include <emgnn/data/data.h>
#include <emgnn/learn/prediction.h>
#include <emgnn/learn/record.h>

namespace emgnn {

// One row per point of Λ̂ that has mass: its coordinates and p.
std::string posterior_csv(const GraphDistribution& graphs);

// One row per predicted node or molecule, with its part of the split and what is known of it.
//   node, split | row, smiles, split     which one
//   classes  label, predicted, p(CLASS) of each class, entropy, graph_information
//   labels   label, predicted (names joined by ;), p(LABEL), entropy(LABEL) and
//            graph_information(LABEL) of each label
//   values   target, value, graph_std and, where the noise is known, noise_std and std; with several
//            targets target(T), value(T), graph_std(T), … of each
// entropy, in nats, is of the probabilities beside it; graph_information is the mutual information
// between the answer and the graph, graph_std the standard deviation over the graphs, both before
// calibration; noise_std that of what no graph explains, std of the whole.
enum class TestLabels { kShow, kHide };  // hidden: empty
std::string predictions_csv(const Data& data, const Prediction& prediction,
                            TestLabels test = TestLabels::kShow);

// The same for new molecules: no split, nothing known, and a last column `rejected`, the reason why
// a row has no prediction; every record of the file is a row.
std::string predictions_csv_with_rejects(const Data& data, const Prediction& prediction);

// One row per edge that a perturbation changed: source, target, change (removed or added).
std::string perturbed_edges_csv(const Dataset& dataset);

}  // namespace emgnn
