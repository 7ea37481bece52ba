// SPDX-License-Identifier: Apache-2.0
// Regression of one value per molecule, in mini-batches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/molecule_evaluator.h>
#include <emgnn/em/options.h>
#include <emgnn/em/problem.h>

namespace emgnn {

// What is to be learned, and how; the targets and the split outlive the problem.
struct MoleculeTask {
  const std::vector<double>& target;  // [num_molecules]
  const Split& split;
  const TrainOptions& options;
  uint64_t seed;
};

class MoleculeProblem : public Problem {
 public:
  // The family and the backbone outlive the problem.
  MoleculeProblem(const MoleculeTask& task, const MoleculeFamily& family,
                  const MoleculeBackbone& backbone);

  Task task() const override { return Task::kRegression; }
  const ParameterSpace& space() const override { return *family_; }
  const Network& network() const override { return *backbone_; }
  std::vector<double> losses(std::span<const int64_t> lam_ids, const Poll& poll) override;
  int64_t num_batches() const override;
  Objective objective(std::span<const LambdaDraw> draws, const Pass& pass) override;
  Scores validate(const Posterior& posterior) override;
  Prediction predict(const Posterior& posterior, const Poll& poll) override;
  Scores score(const Prediction& prediction, Part part) const override;

 private:
  // The molecules of a gradient step; those of a pass are shuffled.
  std::span<const int32_t> batch(uint64_t step);
  Scores score(std::span<const double> value, const std::vector<int32_t>& molecules) const;

  const std::vector<double>* target_;
  const Split* split_;
  const MoleculeFamily* family_;
  const MoleculeBackbone* backbone_;
  RegressionLoss loss_;
  int64_t batch_size_;
  uint64_t seed_;
  TargetScale scale_;                 // of the training molecules
  std::vector<double> standardised_;  // [num_molecules]
  MoleculeEvaluator train_, validation_;
  std::unique_ptr<MoleculeEvaluator>
      posterior_only_;          // set when the E-step reads other molecules than the M-step
  std::vector<int32_t> order_;  // of the training molecules in a pass
  uint64_t ordered_pass_ = 0;   // which one
};

// Of all molecules of the family.
Prediction predict_molecules(const MoleculeFamily& family, const MoleculeBackbone& backbone,
                             const Posterior& posterior, const TargetScale& scale,
                             const Poll& poll = {});

}  // namespace emgnn
