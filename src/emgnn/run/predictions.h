// SPDX-License-Identifier: Apache-2.0
// Predictions and distributions as the text of tables.
#pragma once

#include <string>

#include <emgnn/data/data.h>
#include <emgnn/learn/prediction.h>
#include <emgnn/learn/record.h>
#include <emgnn/run/conformal.h>

namespace emgnn {

// One row per point of Λ̂ that has mass: its coordinates and p.
std::string posterior_csv(const GraphDistribution& graphs);

// One row per predicted node or molecule, with its part of the split and what is known of it.
//   node, split | row, smiles, split     which one
//   classes  label, predicted, p(CLASS) of each class, entropy, graph_information,
//            network_information, within_entropy, mean_entropy
//   labels   label, predicted (names joined by ;), and p(LABEL), entropy(LABEL), … of each label
//   values   target, value, graph_std, network_std and, where the noise is known, noise_std and std;
//            with several targets target(T), value(T), graph_std(T), … of each
// entropy, in nats, is of the probabilities beside it. mean_entropy is that of the mean probabilities
// over graphs and networks, before the last temperature: the sum of graph_information, the mutual
// information between the answer and the graph, network_information, the same for the networks, and
// within_entropy, what is left when both are known. std² = graph_std² + network_std² + noise_std².
// With sets: set and set_size of classes, set(LABEL) of labels (0, 1 or 0;1), lower and upper of
// values.
enum class TestLabels { kShow, kHide };  // hidden: empty
struct TableOptions {
  TestLabels test = TestLabels::kShow;
  std::vector<int32_t> calibration = {};  // rows that were set aside
  const PredictedSets* sets = nullptr;    // of the same rows; null: none
};
std::string predictions_csv(const Data& data, const Prediction& prediction,
                            const TableOptions& options = {});

// The same for new molecules: no split, nothing known, and a last column `rejected`, the reason why
// a row has no prediction; every record of the file is a row.
std::string predictions_csv_with_rejects(const Data& data, const Prediction& prediction,
                                         const PredictedSets* sets = nullptr);

// One row per edge that a perturbation changed: source, target, change (removed or added).
std::string perturbed_edges_csv(const Dataset& dataset);

}  // namespace emgnn
