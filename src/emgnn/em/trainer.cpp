// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/trainer.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <set>
#include <utility>

#include <emgnn/base/error.h>
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

// LibTorch's own operations only touch small tensors here; its thread pool would just compete with
// our kernels.
class SerialAten {
 public:
  SerialAten() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~SerialAten() { at::set_num_threads(before_); }
  SerialAten(const SerialAten&) = delete;
  SerialAten& operator=(const SerialAten&) = delete;

 private:
  int before_;
};

std::vector<int32_t> joined(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  std::vector<int32_t> out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

// Nodes of the types that carry labels; all nodes where types are not told apart.
std::vector<int32_t> predicted_rows(const Dataset& dataset) {
  std::set<int32_t> types;
  std::vector<int32_t> rows;
  for (int32_t v = 0; v < dataset.graph.num_nodes && !dataset.node_type.empty(); ++v) {
    if (dataset.label[static_cast<size_t>(v)] != kNoLabel)
      types.insert(dataset.node_type[static_cast<size_t>(v)]);
  }
  for (int32_t v = 0; v < dataset.graph.num_nodes; ++v) {
    if (dataset.node_type.empty() || types.contains(dataset.node_type[static_cast<size_t>(v)]))
      rows.push_back(v);
  }
  return rows;
}

ClassificationScores score(const Dataset& dataset, const std::vector<int32_t>& predicted,
                           const at::Tensor& log_prob, const std::vector<int32_t>& rows) {
  std::vector<int64_t> place;
  for (int32_t row : rows) {
    place.push_back(std::lower_bound(predicted.begin(), predicted.end(), row) - predicted.begin());
  }
  return classification_scores(log_prob.index_select(0, at::tensor(place)),
                               gather_labels(dataset.label, rows));
}

}  // namespace

Trainer::Trainer(const Dataset& dataset, const GraphFamily& family, Backbone& backbone,
                 const TrainOptions& options, uint64_t seed)
    : dataset_(&dataset),
      family_(&family),
      backbone_(&backbone),
      options_(options),
      seed_(seed),
      adam_(backbone.parameters(), options.optim) {
  if (!enumerates()) proposals_per_chain(options.mcmc);  // a bad setting fails before any work
  const double last_eta =
      options.em.eta + options.em.eta_step * static_cast<double>(options.em.rounds - 1);
  EMGNN_CHECK(last_eta >= 0.0,
              "em.eta_step makes the inverse temperature negative in the last round", last_eta);
  EMGNN_CHECK(options.em.posterior != PosteriorMode::kExact || family.size() <= kExactLimit,
              "em.posterior=exact: too many graphs to enumerate; use mcmc, a larger space.step or "
              "a smaller space.grid",
              family.size());
  const Split& split = dataset.split;
  train_label_ = gather_labels(dataset.label, split.train);
  validation_label_ = gather_labels(dataset.label, split.validation);
  train_ = std::make_unique<Evaluator>(family, backbone, dataset.features, split.train);
  validation_ = std::make_unique<Evaluator>(family, backbone, dataset.features, split.validation);
  posterior_label_ = train_label_;
  if (options.em.labels == LabelSet::kTrainAndValidation) {
    const std::vector<int32_t> rows = joined(split.train, split.validation);
    posterior_label_ = gather_labels(dataset.label, rows);
    posterior_only_ = std::make_unique<Evaluator>(family, backbone, dataset.features, rows);
  }
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
         (mode == PosteriorMode::kAuto && family_->size() <= kEnumerateLimit);
}

TrainState Trainer::snapshot() const {
  TrainState copy = state_;
  copy.parameters = values_of(backbone_->parameters());
  copy.first_moment = copy_of(adam_.first_moment);
  copy.second_moment = copy_of(adam_.second_moment);
  copy.average = copy_of(state_.average);
  return copy;
}

void Trainer::interrupted() const {
  throw Interrupted(fmt::format("interrupted after {} of {} steps", state_.step, max_steps()));
}

void Trainer::resume(TrainState state) {
  assign(backbone_->parameters(), state.parameters);
  adam_.first_moment = copy_of(state.first_moment);
  adam_.second_moment = copy_of(state.second_moment);
  adam_.num_updates = state.step;
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
    info.train_loss = gradient_step();
    if (options_.optim.average > 0.0) {
      update_average(state_.average, backbone_->parameters(), options_.optim.average, state_.step);
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
  Evaluator& evaluator = posterior_only_ ? *posterior_only_ : *train_;
  // The checkpoint of the round's beginning is there already.
  evaluator.set_poll([&] {
    if (observer.stop_requested()) interrupted();
  });
  const auto losses_of = [&](std::span<const int64_t> ids) {
    return evaluator.losses(ids, posterior_label_);
  };
  const WithAverage weights(backbone_->parameters(), state_.average);
  std::vector<double> prior_losses;
  if (enumerates()) {
    std::vector<int64_t> ids = family_->all_ids();
    prior_losses = losses_of(ids);
    info.posterior = Posterior::gibbs(std::move(ids), prior_losses, {}, info.eta);
    for (size_t i = 0; i < prior_losses.size(); ++i) {
      info.mean_loss += info.posterior.prob(static_cast<int64_t>(i)) * prior_losses[i];
    }
  } else {
    LossCache cache(losses_of);
    const auto number = static_cast<uint64_t>(info.round);
    last_mcmc_ = metropolis_hastings(*family_, cache, info.eta, options_.mcmc, seed_, number);
    info.posterior = last_mcmc_->posterior;
    for (int64_t id : info.posterior.lam_ids())
      info.mean_loss += info.posterior.prob(id) * cache.at(id);
    Rng rng(seed_, Stream::kDraw, number, 1);
    std::vector<int64_t> drawn;
    for (int64_t k = 0; k < kNormalizerDraws; ++k) {
      drawn.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(family_->size()))));
    }
    cache.fetch(drawn);
    for (int64_t id : drawn) prior_losses.push_back(cache.at(id));
  }
  info.normalizer_ratio = normalizer_ratio(prior_losses, info.eta);
  state_.posterior = info.posterior;
  state_.rounds.push_back(info);
  observer.on_round(info, enumerates() ? nullptr : &*last_mcmc_);
}

double Trainer::gradient_step() {
  const EmOptions& em = options_.em;
  const Pass pass{.training = true, .seed = seed_, .step = static_cast<uint64_t>(state_.step)};
  std::vector<double> weight = {1.0};
  std::vector<int64_t> lam_ids;
  if (!warming_up()) {
    Rng rng(seed_, Stream::kDraw, pass.step);
    weight.clear();
    for (int64_t k = 0; k < em.draws; ++k) {
      lam_ids.push_back(draw_lambda(em.variant, *state_.posterior, family_->size(), rng));
      weight.push_back(mstep_weight(em, *state_.posterior, family_->size(), lam_ids.back()));
    }
  }
  const FamilyView& view = train_->view();
  const Shift shift = warming_up() ? view.observed() : view.shifts(lam_ids);
  const at::Tensor logits =
      backbone_->forward(shift, backbone_->embed(train_->input(), pass), pass);
  const at::Tensor loss = cross_entropy(logits, train_label_);  // [draws]
  // θ descends on the mean over the drawn λ of w(λ) L(λ, θ)
  (loss * at::tensor(weight)).mean().backward();
  adam_.step();
  return loss.mean().item<double>();
}

Posterior Trainer::used_to_predict(const Posterior& posterior) const {
  if (options_.em.keep == Keep::kAll) return posterior;
  return posterior.restricted(1.0 / static_cast<double>(family_->size()));
}

void Trainer::validate(StepInfo& info) {
  const WithAverage weights(backbone_->parameters(), state_.average);
  const Posterior sample = used_to_predict(*state_.posterior).thinned(options_.stop.graphs);
  const Expectation e = validation_->expect(sample, options_.em.average);
  const ClassificationScores scores = classification_scores(e.log_prob, validation_label_);
  info.validated = true;
  info.validation_loss = scores.loss;
  info.validation_accuracy = scores.accuracy;
  const StopVerdict verdict = judge(options_.stop, state_.stop, scores.loss, scores.accuracy);
  if (verdict.keep || state_.best_parameters.empty()) {
    state_.best_parameters = values_of(backbone_->parameters());
    state_.best_posterior = state_.posterior;
  }
  state_.stopped = verdict.stop;
}

TrainResult Trainer::finish(Observer& observer) {
  assign(backbone_->parameters(), state_.best_parameters);
  TrainResult result;
  result.em_iterations = static_cast<int64_t>(state_.rounds.size());
  result.stopped_early = state_.stopped;
  result.posterior =
      options_.stop.posterior == StopPosterior::kBest ? *state_.best_posterior : *state_.posterior;
  result.rounds = state_.rounds;
  result.last_mcmc = last_mcmc_;
  result.rows = predicted_rows(*dataset_);
  Evaluator everything(*family_, *backbone_, dataset_->features, result.rows);
  everything.set_poll([&] {
    if (!observer.stop_requested()) return;
    observer.on_checkpoint(snapshot());
    interrupted();
  });
  result.prediction = everything.expect(used_to_predict(result.posterior), options_.em.average);
  result.validation =
      score(*dataset_, result.rows, result.prediction.log_prob, dataset_->split.validation);
  result.test = score(*dataset_, result.rows, result.prediction.log_prob, dataset_->split.test);
  return result;
}

}  // namespace emgnn
