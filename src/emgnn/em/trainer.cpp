// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/trainer.h>

#include <ATen/ATen.h>

#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/em/serial_aten.h>
#include <emgnn/em/variant.h>
#include <emgnn/em/weight_average.h>

namespace emgnn {

namespace {

// Above this, em.posterior=auto samples.
constexpr int64_t kEnumerateLimit = 4096;
// Above this, em.posterior=exact is refused.
constexpr int64_t kExactLimit = 1'000'000;
// Points drawn to estimate ϱ when Λ̂ is not enumerated.
constexpr int64_t kNormalizerDraws = 256;

}  // namespace

Trainer::Trainer(Problem& problem, const TrainOptions& options, uint64_t seed)
    : problem_(&problem),
      space_(&problem.space()),
      network_(&problem.network()),
      options_(options),
      seed_(seed),
      adam_(network_->parameters(), options.optim) {
  // A bad setting fails before any work.
  check_rule(options.stop.rule, problem.task());
  if (!enumerates()) proposals_per_chain(options.mcmc);
  const double last_eta =
      options.em.eta + options.em.eta_step * static_cast<double>(options.em.rounds - 1);
  EMGNN_CHECK(last_eta >= 0.0,
              "em.eta_step makes the inverse temperature negative in the last round", last_eta);
  EMGNN_CHECK(options.em.posterior != PosteriorMode::kExact || space_->size() <= kExactLimit,
              "em.posterior=exact: too many graphs to enumerate; use mcmc, a larger space.step or "
              "a smaller space.grid",
              space_->size());
}

int64_t Trainer::round() const {
  return warming_up() ? 0 : (state_.step - options_.em.warmup) / options_.em.steps + 1;
}

bool Trainer::round_begins() const {
  return !warming_up() && (state_.step - options_.em.warmup) % options_.em.steps == 0;
}

bool Trainer::enumerates() const {
  const PosteriorMode mode = options_.em.posterior;
  return mode == PosteriorMode::kExact ||
         (mode == PosteriorMode::kAuto && space_->size() <= kEnumerateLimit);
}

TrainState Trainer::snapshot() const {
  TrainState copy = state_;
  copy.weights = values_of(*network_);
  copy.first_moment = copy_of(adam_.first_moment);
  copy.second_moment = copy_of(adam_.second_moment);
  copy.average = copy_of(state_.average);
  return copy;
}

void Trainer::interrupted() const {
  throw Interrupted(fmt::format("interrupted after {} of {} steps", state_.step, max_steps()));
}

void Trainer::resume(TrainState state) {
  assign(*network_, state.weights);
  adam_.first_moment = copy_of(state.first_moment);
  adam_.second_moment = copy_of(state.second_moment);
  adam_.num_updates = state.step * problem_->num_batches();
  state_ = std::move(state);
  state_.average = copy_of(state_.average);
}

TrainResult Trainer::run(Observer& observer) {
  const SerialAten serial;
  while (state_.step < max_steps() && !state_.stopped) {
    const bool stop = observer.stop_requested();
    if (stop || round_begins()) observer.on_checkpoint(snapshot());
    if (stop) interrupted();
    StepInfo info{.max_steps = max_steps(), .round = round()};
    if (round_begins()) e_step(observer);
    info.train_loss = training_pass();
    if (options_.optim.average > 0.0) {
      update_average(state_.average, *network_, options_.optim.average, state_.step);
    }
    info.step = ++state_.step;
    const bool last = state_.step == max_steps();
    if (info.round > 0 && (state_.step % options_.stop.every == 0 || last)) validate(info);
    observer.on_step(info);
  }
  return finish(observer);
}

// p_t(λ) ∝ exp(−η_t L(λ, θ_t)) p'_0(λ), with p'_0 uniform
void Trainer::e_step(Observer& observer) {
  const EmOptions& em = options_.em;
  RoundInfo info;
  info.round = round();
  info.eta = em.eta + em.eta_step * static_cast<double>(info.round - 1);
  // The checkpoint of the round's beginning is there already.
  const auto poll = [&] {
    if (observer.stop_requested()) interrupted();
  };
  const auto losses_of = [&](std::span<const int64_t> ids) { return problem_->losses(ids, poll); };
  const WithAverage weights(*network_, state_.average);
  std::vector<double> prior_losses;
  if (enumerates()) {
    std::vector<int64_t> ids = space_->all_ids();
    prior_losses = losses_of(ids);
    info.posterior = Posterior::gibbs(std::move(ids), prior_losses, {}, info.eta);
    for (size_t i = 0; i < prior_losses.size(); ++i) {
      info.mean_loss += info.posterior.prob(static_cast<int64_t>(i)) * prior_losses[i];
    }
  } else {
    LossCache cache(losses_of);
    const auto number = static_cast<uint64_t>(info.round);
    last_mcmc_ = metropolis_hastings(*space_, cache, info.eta, options_.mcmc, seed_, number);
    info.posterior = last_mcmc_->posterior;
    for (int64_t id : info.posterior.lam_ids())
      info.mean_loss += info.posterior.prob(id) * cache.at(id);
    Rng rng(seed_, Stream::kDraw, number, 1);
    std::vector<int64_t> drawn;
    for (int64_t k = 0; k < kNormalizerDraws; ++k) {
      drawn.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(space_->size()))));
    }
    cache.fetch(drawn);
    for (int64_t id : drawn) prior_losses.push_back(cache.at(id));
  }
  info.normalizer_ratio = normalizer_ratio(prior_losses, info.eta);
  state_.posterior = info.posterior;
  state_.rounds.push_back(info);
  observer.on_round(info, enumerates() ? nullptr : &*last_mcmc_);
}

double Trainer::training_pass() {
  const int64_t batches = problem_->num_batches();
  double loss = 0.0;
  for (int64_t b = 0; b < batches; ++b) loss += gradient_step(state_.step * batches + b);
  return loss / static_cast<double>(batches);
}

double Trainer::gradient_step(int64_t number) {
  const EmOptions& em = options_.em;
  const Pass pass{.training = true, .seed = seed_, .step = static_cast<uint64_t>(number)};
  std::vector<LambdaDraw> draws;
  if (!warming_up()) {
    Rng rng(seed_, Stream::kDraw, pass.step);
    for (int64_t k = 0; k < em.draws; ++k) {
      const int64_t id = draw_lambda(em.variant, *state_.posterior, space_->size(), rng);
      draws.push_back({id, mstep_weight(em, *state_.posterior, space_->size(), id)});
    }
  }
  const Objective objective = problem_->objective(draws, pass);
  objective.value.backward();
  adam_.step(static_cast<double>(state_.step) / static_cast<double>(max_steps()));
  return objective.mean_loss;
}

Posterior kept_to_predict(const EmOptions& options, const Posterior& posterior,
                          int64_t num_points) {
  if (options.keep == Keep::kAll) return posterior;
  return posterior.restricted(1.0 / static_cast<double>(num_points));
}

void Trainer::validate(StepInfo& info) {
  const WithAverage weights(*network_, state_.average);
  const Posterior kept = kept_to_predict(options_.em, *state_.posterior, space_->size());
  info.validation = problem_->validate(kept.thinned(options_.stop.graphs));
  const StopVerdict verdict = judge(options_.stop, state_.stop, *info.validation);
  if (verdict.keep || state_.best_weights.empty()) {
    state_.best_weights = values_of(*network_);
    state_.best_posterior = state_.posterior;
  }
  state_.stopped = verdict.stop;
}

TrainResult Trainer::finish(Observer& observer) {
  assign(*network_, state_.best_weights);
  TrainResult result;
  result.em_iterations = static_cast<int64_t>(state_.rounds.size());
  result.stopped_early = state_.stopped;
  result.posterior =
      options_.stop.posterior == StopPosterior::kBest ? *state_.best_posterior : *state_.posterior;
  result.rounds = state_.rounds;
  result.last_mcmc = last_mcmc_;
  const auto poll = [&] {
    if (!observer.stop_requested()) return;
    observer.on_checkpoint(snapshot());
    interrupted();
  };
  result.prediction =
      problem_->predict(kept_to_predict(options_.em, result.posterior, space_->size()), poll);
  result.validation = problem_->score(result.prediction, Part::kValidation);
  result.test = problem_->score(result.prediction, Part::kTest);
  return result;
}

}  // namespace emgnn
