// SPDX-License-Identifier: Apache-2.0
// A method's graphs and network for some data: what training and predicting both start from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/config.h>
#include <emgnn/space/candidate_edges.h>
#include <emgnn/models/backbone.h>
#include <emgnn/models/molecule_backbone.h>
#include <emgnn/space/molecule_family.h>
#include <emgnn/space/rewire.h>

namespace emgnn {

// What can be computed once for all runs whose datasets have the same graph and features.
struct Preparation {
  std::vector<CandidateEdge> candidates;  // of the rewire family, else none
};
Preparation prepare(const Dataset& dataset, const std::string& method, const RunConfig& config);

struct NodeModel {
  std::unique_ptr<GraphFamily> family;
  const RewireFamily* rewire_family = nullptr;  // the same, if it is one
  std::unique_ptr<Backbone> backbone;
};
NodeModel make_node_model(const Dataset& dataset, const Preparation& preparation,
                          const std::string& method, const RunConfig& config, uint64_t seed);

// The molecules outlive the model.
struct MoleculeModel {
  std::unique_ptr<MoleculeFamily> family;
  std::unique_ptr<MoleculeBackbone> backbone;
};
MoleculeModel make_molecule_model(const Molecules& molecules, const std::string& method,
                                  const RunConfig& config, uint64_t seed);

}  // namespace emgnn
