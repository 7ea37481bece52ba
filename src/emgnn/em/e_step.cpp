// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/e_step.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/em/mcmc_summary.h>
#include <emgnn/em/stack.h>
#include <emgnn/em/surrogate.h>
#include <emgnn/learn/tensor_numbers.h>

namespace emgnn {

namespace {

// Above this, em.posterior=auto samples.
constexpr int64_t kEnumerateLimit = 4096;
// Above this, em.posterior=exact is refused.
constexpr int64_t kExactLimit = 1'000'000;
// Points drawn to estimate ϱ when Λ̂ is not enumerated.
constexpr int64_t kNormalizerDraws = 256;
// Losses that a posterior is sampled from, however small Λ̂ is.
constexpr int64_t kFewestSampled = 16;
// Points that are stacked when Λ̂ is not enumerated.
constexpr int64_t kStackPoints = 1024;

std::vector<double> drawn_losses(const GraphFamily& family, LossCache& cache, Rng rng) {
  std::vector<int64_t> drawn;
  for (int64_t k = 0; k < kNormalizerDraws; ++k)
    drawn.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(family.size()))));
  cache.fetch(drawn);
  std::vector<double> out;
  for (int64_t id : drawn) out.push_back(cache.at(id));
  return out;
}

}  // namespace

size_t GraphPosterior::place(int64_t lam_id) const {
  const std::vector<int64_t>& ids = p.lam_ids();
  return static_cast<size_t>(std::lower_bound(ids.begin(), ids.end(), lam_id) - ids.begin());
}

GraphWeights GraphPosterior::weights(const Posterior& part) const {
  GraphWeights out{part.lam_ids(), part.log_probs(), {}};
  if (temperature.empty()) return out;
  for (int64_t id : part.lam_ids()) out.temperature.push_back(temperature[place(id)]);
  return out;
}

EStep::EStep(std::span<Problem> problems, const EmOptions& em, const McmcOptions& mcmc,
             uint64_t seed)
    : problems_(problems), em_(em), mcmc_(mcmc), seed_(seed) {
  if (samples()) proposals_per_chain(mcmc);
  EMGNN_CHECK(em.posterior != PosteriorMode::kExact || family().size() <= kExactLimit,
              "em.posterior=exact: too many graphs to enumerate; use mcmc, a larger space.step or "
              "a smaller space.grid",
              family().size());
}

bool EStep::enumerates() const {
  const bool sampled =
      em_.posterior == PosteriorMode::kMcmc || em_.posterior == PosteriorMode::kSurrogate;
  return em_.posterior == PosteriorMode::kExact || (!sampled && family().size() <= kEnumerateLimit);
}

bool EStep::samples() const {
  return !enumerates() && em_.posterior != PosteriorMode::kStack &&
         em_.posterior != PosteriorMode::kPrior;
}

bool EStep::tempers_predictions() const {
  return tempers() && problems_.front().evidence() != EvidenceKind::kLastLayer;
}

SeenEvidence EStep::evidence(std::span<const int64_t> lam_ids, const Poll& poll) const {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> outputs;
  std::vector<TargetRows> targets;
  for (Problem& problem : problems_) {
    outputs.push_back(problem.outputs(lam_ids, poll));
    targets.push_back(problem.evidence_target());
  }
  return {at::cat(outputs, 1).to(at::kDouble), joined(targets)};
}

EStep::Judged EStep::judge(std::span<const int64_t> lam_ids, const Poll& poll) const {
  Judged out;
  const bool stacks = em_.posterior == PosteriorMode::kStack;
  if (problems_.size() == 1 && !tempers() && !stacks) {
    out.loss = problems_.front().losses(lam_ids, poll);
    return out;
  }
  out.seen = evidence(lam_ids, poll);
  at::Tensor outputs = out.seen->outputs;
  if (tempers()) {
    out.temperature = task().temperatures(outputs, out.seen->target);
    outputs = outputs / at::tensor(out.temperature).view({-1, 1, 1});
  }
  out.log_likelihood = task().row_loss(outputs, out.seen->target).neg().contiguous();
  const at::Tensor loss = out.log_likelihood.mean(1).neg().contiguous();
  out.loss.assign(numbers(loss).begin(), numbers(loss).end());
  return out;
}

// Points of which none stands out, ascending.
std::vector<int64_t> EStep::drawn_points(int64_t count) const {
  Rng rng(seed_, Stream::kDraw, 0, 2);
  std::set<int64_t> ids;
  while (static_cast<int64_t>(ids.size()) < count)
    ids.insert(static_cast<int64_t>(rng.below(static_cast<uint64_t>(family().size()))));
  return {ids.begin(), ids.end()};
}

EStepResult EStep::run(double eta, int64_t round, const Poll& poll) const {
  if (samples()) return sample(eta, round, poll);
  return weigh(judged_points(), eta, poll);
}

Judging EStep::judging(int64_t every) const {
  const int64_t most = samples() ? kMostSampled : enumerates() ? family().size() : kStackPoints;
  return {.graphs = std::min(most, family().size()), .sampled = samples(), .every = every};
}

std::vector<int64_t> EStep::judged_points() const {
  if (!enumerates()) return drawn_points(std::min(kStackPoints, most_.value_or(kStackPoints)));
  return most_ && *most_ < family().size() ? spread_points(family(), *most_) : family().all_ids();
}

// p_t(λ) ∝ exp(−η L(λ)) p'_0(λ) with p'_0 uniform, or the weights of a stack
EStepResult EStep::weigh(std::vector<int64_t> ids, double eta, const Poll& poll) const {
  Judged judged = judge(ids, poll);
  EStepResult out{.prior_losses = std::move(judged.loss), .seen = std::move(judged.seen)};
  if (tempers_predictions()) out.posterior.temperature = std::move(judged.temperature);
  const auto size = static_cast<int64_t>(ids.size());
  switch (em_.posterior) {
    case PosteriorMode::kStack:
      out.posterior.p = Posterior::from_log_prob(
          std::move(ids), stack(numbers(judged.log_likelihood), size, em_.pseudo_labels).log_prob);
      break;
    case PosteriorMode::kPrior:
      out.posterior.p = Posterior::uniform(std::move(ids));
      break;
    default:
      out.posterior.p = Posterior::gibbs(std::move(ids), out.prior_losses, {}, eta);
  }
  for (size_t i = 0; i < out.prior_losses.size(); ++i)
    out.mean_loss += std::exp(out.posterior.p.log_probs()[i]) * out.prior_losses[i];
  return out;
}

EStepResult EStep::sample(double eta, int64_t round, const Poll& poll) const {
  std::unordered_map<int64_t, double> temperature;
  LossCache cache([&](std::span<const int64_t> ids) {
    Judged judged = judge(ids, poll);
    for (size_t i = 0; i < judged.temperature.size(); ++i)
      temperature[ids[i]] = judged.temperature[i];
    return judged.loss;
  });
  const auto number = static_cast<uint64_t>(round);
  EStepResult out;
  ChainDraws draws;
  if (em_.posterior == PosteriorMode::kMcmc) {
    McmcResult mcmc = metropolis_hastings(family(), cache, eta, mcmc_, seed_, number);
    out.posterior.p = mcmc.posterior;
    out.mcmc = summarise(family(), mcmc);
    draws = std::move(mcmc.draws);
    out.prior_losses = drawn_losses(family(), cache, Rng(seed_, Stream::kDraw, number, 1));
  } else {
    SurrogateSample sampled =
        sample_by_surrogate(family(), cache, eta, mcmc_,
                            std::max(most_.value_or(kMostSampled), kFewestSampled), seed_, number);
    out.posterior.p = std::move(sampled.posterior);
    out.mcmc = sampled.summary;
    out.prior_losses = std::move(sampled.prior_losses);
    draws = std::move(sampled.draws);
  }
  out.posterior.sampled =
      std::make_shared<const SampledDraws>(SampledDraws{std::move(draws), *out.mcmc});
  const Posterior& p = out.posterior.p;
  for (int64_t id : p.lam_ids()) {
    out.mean_loss += p.prob(id) * cache.at(id);
    if (tempers_predictions()) out.posterior.temperature.push_back(temperature.at(id));
  }
  return out;
}

double EStep::last_temperature(const EStepResult& result, const Posterior& kept,
                               const Poll& poll) const {
  if (!tempers_predictions()) return 1.0;
  const GraphWeights graphs = result.posterior.weights(kept);
  // A sampled posterior keeps no more than the losses of its graphs: they are run once more.
  const SeenEvidence seen = result.seen ? *result.seen : evidence(graphs.lam_ids, poll);
  const std::unique_ptr<Expectation> mean =
      task().expectation(problems_.front().average(), Detail::kValue);
  for (size_t g = 0; g < graphs.lam_ids.size(); ++g) {
    const size_t at = result.seen ? result.posterior.place(graphs.lam_ids[g]) : g;
    mean->add(seen.outputs[static_cast<int64_t>(at)].unsqueeze(0), std::exp(graphs.log_prob[g]),
              graphs.temperature[g]);
  }
  Prediction averaged;
  mean->finish(averaged);
  return task().temperatures(task().outputs_of(averaged), seen.target).front();
}

}  // namespace emgnn
