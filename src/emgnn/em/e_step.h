// SPDX-License-Identifier: Apache-2.0
// The E-step: which graphs are how likely, given what networks say about labels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <emgnn/em/judging.h>
#include <emgnn/em/mcmc.h>
#include <emgnn/em/options.h>
#include <emgnn/em/posterior.h>
#include <emgnn/learn/problem.h>

namespace emgnn {

// Where p_t was sampled: the chains, and what they do not say themselves.
struct SampledDraws {
  ChainDraws draws;
  McmcSummary known;
};

// p_t with the temperature of each of its graphs.
struct GraphPosterior {
  Posterior p;
  std::vector<double> temperature;                        // beside p.lam_ids(); empty: 1
  std::shared_ptr<const SampledDraws> sampled = nullptr;  // null: it was not

  size_t place(int64_t lam_id) const;  // of one of its points
  GraphWeights weights() const { return {p.lam_ids(), p.log_probs(), temperature}; }
  // Of some of its points.
  GraphWeights weights(const Posterior& part) const;
};

// What networks say of the evidence rows under some graphs, and what is true.
struct SeenEvidence {
  at::Tensor outputs;  // float64 [graphs, rows, width]
  TargetRows target;
};

struct EStepResult {
  GraphPosterior posterior;
  std::vector<double> prior_losses;  // of points drawn from the prior, or of all
  double mean_loss = 0.0;            // under the posterior
  std::optional<McmcSummary> mcmc;
  // Under each graph of the posterior, where more than its loss was needed of each.
  std::optional<SeenEvidence> seen;
};

class EStep {
 public:
  // `problems` share the family; the evidence is what each says of its own evidence rows. A bad
  // setting fails here.
  EStep(std::span<Problem> problems, const EmOptions& em, const McmcOptions& mcmc, uint64_t seed);

  EStepResult run(double eta, int64_t round, const Poll& poll) const;

  // p_t is over all points, or over so many that stand for all where it is limited.
  bool enumerates() const;
  // How many graphs it judges without a limit, and whether it samples.
  Judging judging(int64_t every) const;
  // So many graphs are judged at most, as plan_judging says.
  void limit(int64_t graphs) { most_ = graphs; }

  // L(λ) as the E-step sees it, after the temperature of each graph where it has one.
  std::vector<double> losses(std::span<const int64_t> lam_ids, const Poll& poll) const {
    return judge(lam_ids, poll).loss;
  }

  // Predictions have the temperatures of their graphs, and one more of their average. Those that
  // make the heads of em.evidence=last-layer comparable are not the network's: it has none.
  bool tempers_predictions() const;
  // The temperature of the prediction for the evidence rows, averaged over the `kept` points of an
  // E-step. Of cross-fitted networks it is that of the one that has not seen the row: all others
  // know its label, so that no average over them would be honest.
  double last_temperature(const EStepResult& result, const Posterior& kept, const Poll& poll) const;

 private:
  const GraphFamily& family() const { return problems_.front().family(); }
  const Task& task() const { return problems_.front().task(); }
  bool tempers() const { return em_.temperature == GraphTemperature::kEach; }

  struct Judged {
    std::vector<double> loss, temperature;
    // Where more than the loss is needed:
    at::Tensor log_likelihood;  // float64 [graphs, rows]
    std::optional<SeenEvidence> seen;
  };
  Judged judge(std::span<const int64_t> lam_ids, const Poll& poll) const;
  SeenEvidence evidence(std::span<const int64_t> lam_ids, const Poll& poll) const;
  std::vector<int64_t> drawn_points(int64_t count) const;
  EStepResult weigh(std::vector<int64_t> ids, double eta, const Poll& poll) const;
  EStepResult sample(double eta, int64_t round, const Poll& poll) const;
  bool samples() const;
  std::vector<int64_t> judged_points() const;

  std::span<Problem> problems_;
  EmOptions em_;
  McmcOptions mcmc_;
  uint64_t seed_;
  std::optional<int64_t> most_;
};

}  // namespace emgnn
