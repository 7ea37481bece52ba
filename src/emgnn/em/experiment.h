// SPDX-License-Identifier: Apache-2.0
// One training run by the names a user gives: a method, a dataset, a configuration and a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/config.h>
#include <emgnn/em/trainer.h>
#include <emgnn/kernels/candidate_edges.h>
#include <emgnn/space/rewire.h>

namespace emgnn {

struct MethodInfo {
  std::string name, summary;
};
std::vector<MethodInfo> methods();

// The settings of a method on a dataset before the user's own: general defaults, then the shipped
// ones. UsageError with near matches for an unknown method.
RunConfig default_config(const std::string& method, const std::string& dataset_name);

// What can be computed once for all runs whose datasets have the same graph and features.
struct Preparation {
  std::vector<CandidateEdge> candidates;  // of the rewire family, else none
};
Preparation prepare(const Dataset& dataset, const std::string& method, const RunConfig& config);

// Owns the family, the backbone and the trainer of one run; the dataset outlives it.
class Experiment {
 public:
  Experiment(const Dataset& dataset, const std::string& method, const RunConfig& config,
             uint64_t seed);
  Experiment(const Dataset& dataset, const Preparation& preparation, const std::string& method,
             const RunConfig& config, uint64_t seed);

  const GraphFamily& family() const { return *family_; }
  const RewireFamily* rewire_family() const { return rewire_family_; }  // null: another family
  const Backbone& backbone() const { return *backbone_; }
  Trainer& trainer() { return *trainer_; }

 private:
  std::unique_ptr<GraphFamily> family_;
  const RewireFamily* rewire_family_ = nullptr;
  std::unique_ptr<Backbone> backbone_;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace emgnn
