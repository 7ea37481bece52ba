// SPDX-License-Identifier: Apache-2.0
// The tables of a run folder as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/data/molecule.h>
#include <emgnn/em/problem.h>
#include <emgnn/space/candidate_edges.h>
#include <emgnn/report/results.h>
#include <emgnn/space/rewire_draws.h>

namespace emgnn {

inline constexpr const char* kPredictionsFile = "predictions.csv";

// One row per point of Λ̂ that has mass: its coordinates and p.
std::string posterior_csv(const std::vector<std::string>& names,
                          const std::vector<WeightedPoint>& posterior);

// One row per predicted node: node, split, label, predicted, the probability of each class, and
// spread, the standard deviation over the graphs of the predicted class's probability.
std::string predictions_csv(const Dataset& dataset, const Prediction& prediction);

// One row per molecule that was read: row (of the file, from 1), smiles, split, target, value and
// spread, the standard deviation over the graphs of the value.
std::string predictions_csv(const MoleculeTable& table, const Split& split,
                            const Prediction& prediction);

// One row per pair: source, target, kind (observed or candidate), cosine (of a candidate), p, the
// probability under p_T that the graph has the edge, and p_rate, the same over all draws of the
// graphs that could have been made.
std::string edges_csv(const Dataset& dataset, const RewireDraws& draws,
                      std::span<const CandidateEdge> candidates, const Posterior& posterior);

// One row per edge that a perturbation changed: source, target, change (removed or added).
std::string perturbed_edges_csv(const Dataset& dataset);

}  // namespace emgnn
