// SPDX-License-Identifier: Apache-2.0
// Expectation–maximisation: warm-up on the graph as given, then rounds of an E-step over all graphs
// and an M-step of signed gradient steps on drawn graphs. What is trained, and on which data, is
// the problem's. With held-out evidence several networks are trained in step, each without a part
// of the labels, by which it judges the graphs; all of them predict.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <emgnn/em/e_step.h>
#include <emgnn/em/judging.h>
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
  // A bad setting fails here, before any work. The problems share data, family and task.
  EmLearner(std::vector<Problem> problems, const EmLearnerOptions& options);
  // One network, with the learner's seed.
  EmLearner(ProblemParts parts, ProblemOptions problem, const EmLearnerOptions& options);

  void fit(FitObserver& observer) override { loop_.run(*this, observer, *this); }
  FitSummary summary() const override;
  std::vector<std::string> notes() override { return problems_.front().notes(); }
  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override;
  std::shared_ptr<const Task> task() const override { return first().shared_task(); }
  void visit_state(StateVisitor& visitor) override;
  bool has_node_weights() const override { return first().network().has_node_weights(); }
  std::optional<GraphDistribution> graphs() const override;
  FamilyReport graph_report() const override;
  // The points of the posterior, judged anew with the weights that predict.
  std::vector<JudgedGraph> judge_graphs(std::span<const int32_t> rows, const Poll& poll) override;

  // p_T: UsageError before a fit or a read model.
  const Posterior& posterior() const { return graph_posterior().p; }
  const std::vector<RoundRecord>& rounds() const { return rounds_; }

 private:
  bool warming_up(int64_t epoch) const { return epoch < options_.em.warmup; }
  const Problem& first() const { return problems_.front(); }
  // Of the points that p_t is a distribution over.
  int64_t num_points(const Posterior& posterior) const;
  double eta(int64_t round) const;
  const GraphPosterior& graph_posterior() const;
  // p_t as predictions use it: em.keep.
  Posterior kept_to_predict(const Posterior& posterior) const;

  int64_t max_epochs() const override;
  int64_t steps_per_epoch(size_t member) const override {
    return problems_[member].steps_per_epoch();
  }
  bool needs_beginning(int64_t epoch) const override;
  void begin_epoch(int64_t epoch, FitObserver& observer) override;
  bool has_begun(int64_t /*epoch*/) const override { return !judging_; }
  int64_t round(int64_t epoch) const override;
  double descend(size_t member, int64_t epoch, int64_t step) override;
  bool validates(int64_t epoch) const override { return !warming_up(epoch); }
  PartScores validate(size_t member, Ranks ranks) override;
  void keep(size_t /*member*/) override { best_posterior_ = posterior_; }
  bool judges_at_the_end() const;
  bool has_finish() const override {
    return judges_at_the_end() || first().family().reads_beliefs();
  }
  void finish(FitObserver& observer) override;
  bool has_finished() const override { return !judging_; }
  bool judge_in_parts(FitObserver& observer, int64_t epoch,
                      const std::function<void(const Poll&)>& work);
  void visit_judging(StateVisitor& visitor);
  void add_draws(FamilyReport& report) const;
  Poll poll_of(FitObserver& observer, int64_t epoch) const;
  const JudgingPlan& plan();  // how many graphs are judged
  void tell_plan(FitObserver& observer);
  // What each network says of all nodes becomes known to its graphs.
  void believe(const GraphPosterior& posterior, const Poll& poll);

  std::vector<Problem> problems_;
  EmLearnerOptions options_;
  EStep e_step_;
  FitLoop loop_;
  std::optional<JudgingPlan> plan_;               // when first needed
  std::optional<GraphPosterior> posterior_;       // p_t of the round in progress
  std::optional<GraphPosterior> best_posterior_;  // p_t when the best weights were kept
  double temperature_ = 1.0;                      // of the averaged prediction
  std::vector<RoundRecord> rounds_;
  bool judging_ = false;  // an E-step has begun, and was left for a checkpoint
  std::vector<std::shared_ptr<EvidenceLog>> logs_;  // what it knows, of each problem
};

}  // namespace emgnn
