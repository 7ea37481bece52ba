// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/experiment.h>

#include <emgnn/base/error.h>
#include <emgnn/em/molecule_problem.h>
#include <emgnn/em/node_problem.h>

namespace emgnn {

Experiment::Experiment(const Dataset& dataset, const std::string& method, const RunConfig& config,
                       uint64_t seed)
    : Experiment(dataset, prepare(dataset, method, config), method, config, seed) {}

Experiment::Experiment(const Dataset& dataset, const Preparation& preparation,
                       const std::string& method, const RunConfig& config, uint64_t seed) {
  NodeModel model = make_node_model(dataset, preparation, method, config, seed);
  problem_ = std::make_unique<NodeProblem>(dataset, *model.family, *model.backbone, config.train);
  space_ = std::move(model.family);
  rewire_family_ = model.rewire_family;
  network_ = std::move(model.backbone);
  trainer_ = std::make_unique<Trainer>(*problem_, config.train, seed);
}

Experiment::Experiment(const MoleculeTable& table, const Split& split, const std::string& method,
                       const RunConfig& config, uint64_t seed) {
  check_data_kind(method, DataKind::kMolecules, table.name);
  if (table.target.empty()) {
    throw UsageError(fmt::format(
        "{}: nothing to learn: name the column to predict with --set data.target=COLUMN",
        table.name));
  }
  MoleculeModel model = make_molecule_model(table.molecules, method, config, seed);
  problem_ = std::make_unique<MoleculeProblem>(
      MoleculeTask{table.target, split, config.train, seed}, *model.family, *model.backbone);
  space_ = std::move(model.family);
  network_ = std::move(model.backbone);
  trainer_ = std::make_unique<Trainer>(*problem_, config.train, seed);
}

}  // namespace emgnn
