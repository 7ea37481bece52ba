// SPDX-License-Identifier: Apache-2.0
// A plain network: trained and run on the graph as given.
#pragma once

#include <cstdint>
#include <memory>

#include <emgnn/learn/fit_loop.h>
#include <emgnn/learn/problem.h>

namespace emgnn {

struct NetworkLearnerOptions {
  FitOptions fit;
  OptimOptions optim;
  StopOptions stop;
};

class NetworkLearner : public Learner, private FitStep {
 public:
  // The family has one point, the graph as given.
  NetworkLearner(Problem problem, const NetworkLearnerOptions& options);

  void fit(FitObserver& observer) override { loop_.run(*this, observer, *this); }
  FitSummary summary() const override;
  std::vector<std::string> notes() override { return problem_.notes(); }
  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override;
  std::shared_ptr<const Task> task() const override { return problem_.shared_task(); }
  void visit_state(StateVisitor& visitor) override;
  bool has_node_weights() const override { return problem_.network().has_node_weights(); }

 private:
  int64_t max_epochs() const override { return options_.fit.epochs; }
  int64_t steps_per_epoch(size_t /*member*/) const override { return problem_.steps_per_epoch(); }
  double descend(size_t member, int64_t epoch, int64_t step) override;
  PartScores validate(size_t member, Ranks ranks) override;

  Problem problem_;
  NetworkLearnerOptions options_;
  FitLoop loop_;
};

}  // namespace emgnn
