// SPDX-License-Identifier: Apache-2.0
// The tables of a run folder as text.
#pragma once

#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/trainer.h>
#include <emgnn/report/results.h>

namespace emgnn {

// One row per point of Λ̂ that has mass: its coordinates and p.
std::string posterior_csv(const std::vector<std::string>& names,
                          const std::vector<WeightedPoint>& posterior);

// One row per predicted node: node, split, label, predicted, the probability of each class, and
// spread, the standard deviation over the graphs of the predicted class's probability.
std::string predictions_csv(const Dataset& dataset, const TrainResult& result);

}  // namespace emgnn
