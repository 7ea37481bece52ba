// SPDX-License-Identifier: Apache-2.0
// Expectation–maximisation: warm-up on the graph as given, then rounds of an E-step over all graphs
// and an M-step of signed gradient steps on drawn graphs. What is trained, and on which data, is
// the problem's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <emgnn/em/mcmc.h>
#include <emgnn/em/options.h>
#include <emgnn/em/posterior.h>
#include <emgnn/learn/fit_loop.h>
#include <emgnn/learn/problem.h>

namespace emgnn {

struct EmLearnerOptions {
  EmOptions em;
  McmcOptions mcmc;
  OptimOptions optim;
  StopOptions stop;
  uint64_t seed = 0;
};

class EmLearner : public Learner, private FitStep {
 public:
  // A bad setting fails here, before any work.
  EmLearner(ProblemParts parts, const ProblemOptions& problem, const EmLearnerOptions& options);

  void fit(FitObserver& observer) override { loop_.run(*this, observer, *this); }
  FitSummary summary() const override;
  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override;
  std::shared_ptr<const Task> task() const override { return problem_.shared_task(); }
  void visit_state(StateVisitor& visitor) override;
  bool has_node_weights() const override { return problem_.network().has_node_weights(); }
  std::optional<GraphDistribution> graphs() const override;

  // p_T: UsageError before a fit or a read model.
  const Posterior& posterior() const;
  const std::vector<RoundRecord>& rounds() const { return rounds_; }

 private:
  bool warming_up(int64_t epoch) const { return epoch < options_.em.warmup; }
  bool enumerates() const;  // the E-step computes the loss of every graph; else it samples
  int64_t num_points() const { return problem_.family().size(); }
  // p_t as predictions use it: em.keep.
  Posterior kept_to_predict(const Posterior& posterior) const;

  int64_t max_epochs() const override;
  int64_t steps_per_epoch() const override { return problem_.steps_per_epoch(); }
  bool needs_beginning(int64_t epoch) const override;
  void begin_epoch(int64_t epoch, FitObserver& observer) override;
  int64_t round(int64_t epoch) const override;
  double descend(int64_t epoch, int64_t step) override;
  bool validates(int64_t epoch) const override { return !warming_up(epoch); }
  PartScores validate(Ranks ranks) override;
  void keep() override { best_posterior_ = posterior_; }

  struct Evidence {
    Posterior posterior;
    std::vector<double> prior_losses;  // of points drawn from the prior, or of all
    double mean_loss = 0.0;            // under the posterior
    std::optional<McmcSummary> mcmc;
  };
  Evidence enumerate(double eta, const Poll& poll);
  Evidence sample(double eta, int64_t round, const Poll& poll);

  Problem problem_;
  EmLearnerOptions options_;
  FitLoop loop_;
  std::optional<Posterior> posterior_;       // p_t of the round in progress
  std::optional<Posterior> best_posterior_;  // p_t when the best weights were kept
  std::vector<RoundRecord> rounds_;
};

}  // namespace emgnn
