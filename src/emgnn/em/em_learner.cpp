// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/em_learner.h>

#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/em/mcmc_summary.h>
#include <emgnn/em/state.h>
#include <emgnn/em/variant.h>

namespace emgnn {

namespace {

// Above this, em.posterior=auto samples.
constexpr int64_t kEnumerateLimit = 4096;
// Above this, em.posterior=exact is refused.
constexpr int64_t kExactLimit = 1'000'000;
// Points drawn to estimate ϱ when Λ̂ is not enumerated.
constexpr int64_t kNormalizerDraws = 256;

GraphWeights weights_of(const Posterior& posterior) {
  return {posterior.lam_ids(), posterior.log_probs()};
}

LambdaPoint mean_point(const ParameterSpace& space, const Posterior& posterior) {
  LambdaPoint mean(space.coordinate_names().size(), 0.0);
  for (size_t i = 0; i < posterior.lam_ids().size(); ++i) {
    const LambdaPoint point = space.point(posterior.lam_ids()[i]);
    const double p = std::exp(posterior.log_probs()[i]);
    for (size_t c = 0; c < mean.size(); ++c) mean[c] += p * point[c];
  }
  return mean;
}

}  // namespace

EmLearner::EmLearner(ProblemParts parts, const ProblemOptions& problem,
                     const EmLearnerOptions& options)
    : problem_(parts, problem),
      options_(options),
      loop_(parts.network, {.optim = options.optim,
                            .stop = options.stop,
                            .rule = stop_rule(options.stop, *parts.task)}) {
  if (!enumerates()) proposals_per_chain(options.mcmc);
  const double last_eta =
      options.em.eta + options.em.eta_step * static_cast<double>(options.em.rounds - 1);
  EMGNN_CHECK(last_eta >= 0.0,
              "em.eta_step makes the inverse temperature negative in the last round", last_eta);
  EMGNN_CHECK(options.em.posterior != PosteriorMode::kExact || num_points() <= kExactLimit,
              "em.posterior=exact: too many graphs to enumerate; use mcmc, a larger space.step or "
              "a smaller space.grid",
              num_points());
}

int64_t EmLearner::max_epochs() const {
  return options_.em.warmup + options_.em.rounds * options_.em.steps;
}

int64_t EmLearner::round(int64_t epoch) const {
  return warming_up(epoch) ? 0 : (epoch - options_.em.warmup) / options_.em.steps + 1;
}

bool EmLearner::needs_beginning(int64_t epoch) const {
  return !warming_up(epoch) && (epoch - options_.em.warmup) % options_.em.steps == 0;
}

bool EmLearner::enumerates() const {
  const PosteriorMode mode = options_.em.posterior;
  return mode == PosteriorMode::kExact ||
         (mode == PosteriorMode::kAuto && num_points() <= kEnumerateLimit);
}

// p_t(λ) ∝ exp(−η_t L(λ, θ_t)) p'_0(λ), with p'_0 uniform
void EmLearner::begin_epoch(int64_t epoch, FitObserver& observer) {
  RoundRecord record{.round = round(epoch)};
  record.eta = options_.em.eta + options_.em.eta_step * static_cast<double>(record.round - 1);
  // The checkpoint of the round's beginning is there already.
  const auto poll = [&] {
    if (observer.stop_requested())
      throw Interrupted(fmt::format("interrupted after {} of {} epochs", epoch, max_epochs()));
  };
  Evidence evidence =
      enumerates() ? enumerate(record.eta, poll) : sample(record.eta, record.round, poll);
  record.mean_loss = evidence.mean_loss;
  record.normalizer_ratio = normalizer_ratio(evidence.prior_losses, record.eta);
  record.mean_lambda = mean_point(problem_.family(), evidence.posterior);
  record.mcmc = evidence.mcmc;
  posterior_ = std::move(evidence.posterior);
  rounds_.push_back(record);
  observer.on_round(record);
}

EmLearner::Evidence EmLearner::enumerate(double eta, const Poll& poll) {
  std::vector<int64_t> ids = problem_.family().all_ids();
  Evidence out;
  out.prior_losses = problem_.losses(ids, poll);
  out.posterior = Posterior::gibbs(std::move(ids), out.prior_losses, {}, eta);
  for (size_t i = 0; i < out.prior_losses.size(); ++i)
    out.mean_loss += out.posterior.prob(static_cast<int64_t>(i)) * out.prior_losses[i];
  return out;
}

EmLearner::Evidence EmLearner::sample(double eta, int64_t round, const Poll& poll) {
  LossCache cache([&](std::span<const int64_t> ids) { return problem_.losses(ids, poll); });
  const auto number = static_cast<uint64_t>(round);
  const McmcResult mcmc =
      metropolis_hastings(problem_.family(), cache, eta, options_.mcmc, options_.seed, number);
  Evidence out{
      .posterior = mcmc.posterior, .prior_losses = {}, .mcmc = summarise(problem_.family(), mcmc)};
  for (int64_t id : out.posterior.lam_ids()) out.mean_loss += out.posterior.prob(id) * cache.at(id);
  Rng rng(options_.seed, Stream::kDraw, number, 1);
  std::vector<int64_t> drawn;
  for (int64_t k = 0; k < kNormalizerDraws; ++k)
    drawn.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(num_points()))));
  cache.fetch(drawn);
  for (int64_t id : drawn) out.prior_losses.push_back(cache.at(id));
  return out;
}

double EmLearner::descend(int64_t epoch, int64_t step) {
  const EmOptions& em = options_.em;
  const Mode mode{.training = true, .seed = options_.seed, .step = static_cast<uint64_t>(step)};
  std::vector<LambdaDraw> draws;
  if (!warming_up(epoch)) {
    Rng rng(options_.seed, Stream::kDraw, mode.step);
    for (int64_t k = 0; k < em.draws; ++k) {
      const int64_t id = draw_lambda(em.variant, *posterior_, num_points(), rng);
      draws.push_back({id, mstep_weight(em, *posterior_, num_points(), id)});
    }
  }
  const Objective objective = problem_.objective(draws, mode, {epoch, max_epochs()});
  objective.value.backward();
  return objective.mean_loss;
}

Posterior EmLearner::kept_to_predict(const Posterior& posterior) const {
  if (options_.em.keep == PredictWith::kAll) return posterior;
  return posterior.restricted(1.0 / static_cast<double>(num_points()));
}

PartScores EmLearner::validate(Ranks ranks) {
  return problem_.validate(
      weights_of(kept_to_predict(*posterior_).thinned(options_.em.validation_graphs)), ranks);
}

const Posterior& EmLearner::posterior() const {
  const bool best = options_.em.predict_posterior == PosteriorOf::kBest;
  const std::optional<Posterior>& chosen = best ? best_posterior_ : posterior_;
  if (!chosen) throw UsageError("there is no posterior before training");
  return *chosen;
}

FitSummary EmLearner::summary() const {
  return {.epochs = loop_.epochs(), .stopped_early = loop_.stopped_early(), .rounds = rounds_};
}

Prediction EmLearner::predict(std::span<const int32_t> rows, const Poll& poll) {
  const Posterior& p = posterior();
  EMGNN_CHECK(p.lam_ids().front() >= 0 && p.lam_ids().back() < num_points(),
              "the model's posterior has points that the data has not", p.lam_ids().back());
  return problem_.predict(weights_of(kept_to_predict(p)), rows, poll);
}

std::optional<GraphDistribution> EmLearner::graphs() const {
  const GraphFamily& family = problem_.family();
  const Posterior& p = posterior();
  GraphDistribution out{.family = family.name(),
                        .names = family.coordinate_names(),
                        .shares = family.shares(),
                        .points = {},
                        .prior = {},
                        .tables = family.tables(weights_of(p), [this](int32_t row) {
                          return problem_.data().row_name(row);
                        })};
  for (size_t i = 0; i < p.lam_ids().size(); ++i)
    out.points.push_back({family.point(p.lam_ids()[i]), std::exp(p.log_probs()[i])});
  for (size_t c = 0; c < out.names.size(); ++c) out.prior.push_back(family.prior_marginal(c));
  return out;
}

void EmLearner::visit_state(StateVisitor& visitor) {
  problem_.task().visit_state(visitor);
  loop_.visit_state(visitor);
  if (!visitor.training()) {
    std::optional<Posterior> stored;
    if (!visitor.reading()) stored = posterior();
    visit_posterior(visitor, "posterior", stored);
    if (visitor.reading()) best_posterior_ = posterior_ = std::move(stored);
    return;
  }
  visit_posterior(visitor, "posterior", posterior_);
  visit_posterior(visitor, "best_posterior", best_posterior_);
  visit_rounds(visitor, rounds_);
}

}  // namespace emgnn
