// SPDX-License-Identifier: Apache-2.0
// One training run by the names a user gives: a method, a dataset, a configuration and a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <emgnn/data/dataset.h>
#include <emgnn/data/molecule.h>
#include <emgnn/em/method.h>
#include <emgnn/em/model.h>
#include <emgnn/em/trainer.h>

namespace emgnn {

// Owns the graphs, the network and the trainer of one run; the data outlives it.
class Experiment {
 public:
  Experiment(const Dataset& dataset, const std::string& method, const RunConfig& config,
             uint64_t seed);
  Experiment(const Dataset& dataset, const Preparation& preparation, const std::string& method,
             const RunConfig& config, uint64_t seed);
  // UsageError when the table has no target.
  Experiment(const MoleculeTable& table, const Split& split, const std::string& method,
             const RunConfig& config, uint64_t seed);

  const ParameterSpace& space() const { return *space_; }
  const RewireFamily* rewire_family() const { return rewire_family_; }  // null: another family
  const Network& network() const { return *network_; }
  Problem& problem() { return *problem_; }
  Trainer& trainer() { return *trainer_; }

 private:
  std::unique_ptr<ParameterSpace> space_;
  const RewireFamily* rewire_family_ = nullptr;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace emgnn
