// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/model.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/em/method.h>
#include <emgnn/em/rewire_input.h>
#include <emgnn/models/backbones.h>
#include <emgnn/models/gcn_star.h>
#include <emgnn/space/mixture.h>

namespace emgnn {

namespace {

const BackboneKind& backbone_of(const std::string& method) {
  const std::vector<BackboneKind>& all = backbones();
  return *std::find_if(all.begin(), all.end(), [&](const BackboneKind& kind) {
    return kind.method == method || kind.em_method == method;
  });
}

}  // namespace

Preparation prepare(const Dataset& dataset, const std::string& method, const RunConfig& config) {
  check_data_kind(method, DataKind::kGraph, dataset.name);
  const SpaceOptions& space = config.train.space;
  if (!method_info(method).em || !rewires(dataset.graph, space)) return {};
  return {.candidates = find_candidates(dataset, space)};
}

NodeModel make_node_model(const Dataset& dataset, const Preparation& preparation,
                          const std::string& method, const RunConfig& config, uint64_t seed) {
  check_data_kind(method, DataKind::kGraph, dataset.name);
  const TrainOptions& options = config.train;
  NodeModel model;
  if (!method_info(method).em) {
    model.family = MixtureFamily::observed_only(dataset.graph, options.space.normalisation);
  } else if (rewires(dataset.graph, options.space)) {
    auto family = std::make_unique<RewireFamily>(
        rewire_graph(dataset, preparation.candidates, options.space), options.space, seed);
    model.rewire_family = family.get();
    model.family = std::move(family);
  } else {
    model.family = std::make_unique<MixtureFamily>(dataset.graph, options.space);
  }
  const BackboneSizes sizes{.num_nodes = dataset.graph.num_nodes,
                            .num_features = dataset.features.num_cols,
                            .num_outputs = dataset.num_classes()};
  model.backbone = backbone_of(method).make(options.model, sizes, seed);
  return model;
}

MoleculeModel make_molecule_model(const Molecules& molecules, const std::string& method,
                                  const RunConfig& config, uint64_t seed) {
  const TrainOptions& options = config.train;
  const bool em = method_info(method).em;
  EMGNN_CHECK(!em || molecules.num_conformers > 0,
              fmt::format("data.conformers: {} needs coordinates", method),
              molecules.num_conformers);
  MoleculeModel model;
  model.family = em ? std::make_unique<MoleculeFamily>(molecules, options.space)
                    : MoleculeFamily::bonds_only(molecules, options.space);
  model.backbone = std::make_unique<GcnStar>(options.model, model.family->num_features(), seed);
  return model;
}

}  // namespace emgnn
