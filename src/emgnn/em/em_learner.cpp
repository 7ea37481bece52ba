// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/em_learner.h>

#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/em/draws_csv.h>
#include <emgnn/em/mcmc_summary.h>
#include <emgnn/em/state.h>
#include <emgnn/em/variant.h>

namespace emgnn {

namespace {

std::vector<std::shared_ptr<Network>> networks_of(const std::vector<Problem>& problems) {
  std::vector<std::shared_ptr<Network>> out;
  for (const Problem& problem : problems) out.push_back(problem.shared_network());
  return out;
}

ProblemOptions with_seed(ProblemOptions options, uint64_t seed) {
  options.seed = seed;
  return options;
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

EmLearner::EmLearner(std::vector<Problem> problems, const EmLearnerOptions& options)
    : problems_(std::move(problems)),
      options_(options),
      e_step_(problems_, options.em, options.mcmc, options.seed),
      loop_(networks_of(problems_), {.optim = options.optim,
                                     .stop = options.stop,
                                     .rule = stop_rule(options.stop, first().task())}) {
  const double last_eta = eta(options.em.rounds);
  EMGNN_CHECK(last_eta >= 0.0,
              "em.eta_step makes the inverse temperature negative in the last round", last_eta);
}

EmLearner::EmLearner(ProblemParts parts, ProblemOptions problem, const EmLearnerOptions& options)
    : EmLearner({Problem(std::move(parts), with_seed(std::move(problem), options.seed))}, options) {
}

double EmLearner::eta(int64_t round) const {
  return options_.em.eta + options_.em.eta_step * static_cast<double>(round - 1);
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

Poll EmLearner::poll_of(FitObserver& observer, int64_t epoch) const {
  // The checkpoint of the epoch's beginning is there already.
  return [this, &observer, epoch] {
    if (observer.stop_requested())
      throw Interrupted(fmt::format("interrupted after {} of {} epochs", epoch, max_epochs()));
  };
}

int64_t EmLearner::num_points(const Posterior& posterior) const {
  return e_step_.enumerates() ? static_cast<int64_t>(posterior.lam_ids().size())
                              : first().family().size();
}

const JudgingPlan& EmLearner::plan() {
  if (plan_) return *plan_;
  Problem::Work work;
  for (Problem& problem : problems_) {
    if (options_.em.judging == 0.0) break;  // it is not needed
    const Problem::Work one = problem.work();
    work.judge += one.judge;
    work.train += one.train;
    work.validate += one.validate;
  }
  plan_ = plan_judging(work, options_.em, e_step_.judging(options_.stop.every));
  e_step_.limit(plan_->graphs);
  return *plan_;
}

void EmLearner::tell_plan(FitObserver& observer) {
  if (!plan().limited) return;
  observer.on_note(
      fmt::format("a graph of this size: each E-step judges at most {} of {} graphs, a validation "
                  "averages over {}; "
                  "em.judging says how many, 0 lifts the limit",
                  plan().graphs, first().family().size(), plan().validation_graphs));
}

void EmLearner::begin_epoch(int64_t epoch, FitObserver& observer) {
  RoundRecord record{.round = round(epoch)};
  record.eta = eta(record.round);
  observer.on_phase(
      fmt::format("judging graphs, round {} of {}", record.round, options_.em.rounds));
  if (record.round == 1) tell_plan(observer);
  const Poll poll = poll_of(observer, epoch);
  if (posterior_ && !judging_) believe(*posterior_, poll);
  plan();
  EStepResult result;
  const bool whole = judge_in_parts(observer, epoch, [&](const Poll& part) {
    result = e_step_.run(record.eta, record.round, part);
  });
  if (!whole) return;
  record.mean_loss = result.mean_loss;
  record.normalizer_ratio = normalizer_ratio(result.prior_losses, record.eta);
  record.mean_lambda = mean_point(first().family(), result.posterior.p);
  record.mcmc = result.mcmc;
  posterior_ = std::move(result.posterior);
  rounds_.push_back(record);
  observer.on_round(record);
  observer.on_phase("training");
}

// Does `work`, or a part of it when a checkpoint is due: then false, and it has to be done again, which
// is quick as far as it was done before.
bool EmLearner::judge_in_parts(FitObserver& observer, int64_t epoch,
                               const std::function<void(const Poll&)>& work) {
  struct PartDone {};
  struct LogsInUse {
    std::vector<Problem>& problems;
    ~LogsInUse() {
      for (Problem& problem : problems) problem.use_log(nullptr);
    }
  };
  if (!judging_) logs_.clear();
  judging_ = true;
  const LogsInUse in_use{problems_};
  for (size_t k = 0; k < problems_.size(); ++k) {
    if (k == logs_.size()) logs_.push_back(std::make_shared<EvidenceLog>());
    logs_[k]->rewind();
    problems_[k].use_log(logs_[k]);
  }
  const auto results = [&] {
    int64_t sum = 0;
    for (const auto& log : logs_) sum += log->size();
    return sum;
  };
  const int64_t before = results();
  const Poll poll = poll_of(observer, epoch);
  try {
    work([&] {
      poll();
      if (results() > before && observer.checkpoint_due()) throw PartDone{};
    });
  } catch (const PartDone&) {
    return false;
  }
  judging_ = false;
  logs_.clear();
  return true;
}

// A few graphs that stand for the posterior are enough for what is believed of the nodes.
void EmLearner::believe(const GraphPosterior& posterior, const Poll& poll) {
  constexpr int64_t kGraphs = 16;
  const GraphWeights graphs = posterior.weights(posterior.p.thinned(kGraphs));
  for (Problem& problem : problems_) problem.believe(graphs, poll);
}

// As published, the posterior that predicts is that of the round in which weights were kept.
bool EmLearner::judges_at_the_end() const {
  return first().evidence() != EvidenceKind::kTrain &&
         first().evidence() != EvidenceKind::kTrainAndValidation;
}

// The posterior of the kept weights, which may come from different rounds.
void EmLearner::finish(FitObserver& observer) {
  const Poll poll = poll_of(observer, loop_.epochs());
  if (!judging_) believe(graph_posterior(), poll);
  if (!judges_at_the_end()) return;
  observer.on_phase("judging graphs with the kept weights");
  plan();
  EStepResult result;
  double temperature = 1.0;
  const bool whole = judge_in_parts(observer, loop_.epochs(), [&](const Poll& part) {
    result = e_step_.run(eta(options_.em.rounds), options_.em.rounds + 1, part);
    temperature = e_step_.last_temperature(result, kept_to_predict(result.posterior.p), part);
  });
  if (!whole) return;
  temperature_ = temperature;
  best_posterior_ = posterior_ = std::move(result.posterior);
  believe(*posterior_, poll);
}

double EmLearner::descend(size_t member, int64_t epoch, int64_t step) {
  const EmOptions& em = options_.em;
  Problem& problem = problems_[member];
  const Mode mode{.training = true, .seed = problem.seed(), .step = static_cast<uint64_t>(step)};
  std::vector<LambdaDraw> draws;
  if (!warming_up(epoch)) {
    Rng rng(options_.seed, Stream::kDraw, mode.step);
    for (int64_t k = 0; k < em.draws; ++k) {
      const int64_t points = num_points(posterior_->p);
      const int64_t id = draw_lambda(em, posterior_->p, points, rng);
      draws.push_back({id, mstep_weight(em, posterior_->p, points, id)});
    }
  }
  const Objective objective = problem.objective(draws, mode, {epoch, max_epochs()});
  objective.value.backward();
  return objective.mean_loss;
}

Posterior EmLearner::kept_to_predict(const Posterior& posterior) const {
  if (options_.em.keep == PredictWith::kAll) return posterior;
  return posterior.restricted(1.0 / static_cast<double>(num_points(posterior)));
}

PartScores EmLearner::validate(size_t member, Ranks ranks) {
  const Posterior few = kept_to_predict(posterior_->p).thinned(plan().validation_graphs);
  return problems_[member].validate(posterior_->weights(few), ranks);
}

const GraphPosterior& EmLearner::graph_posterior() const {
  const bool best = options_.em.predict_posterior == PosteriorOf::kBest;
  const std::optional<GraphPosterior>& chosen = best ? best_posterior_ : posterior_;
  if (!chosen) throw UsageError("there is no posterior before training");
  return *chosen;
}

FitSummary EmLearner::summary() const {
  FitSummary out{
      .epochs = loop_.epochs(), .stopped_early = loop_.stopped_early(), .rounds = rounds_};
  if (posterior_ && best_posterior_ && graph_posterior().sampled) {
    const SampledDraws& sampled = *graph_posterior().sampled;
    out.sampled = describe_draws(first().family(), sampled.draws, sampled.known);
  }
  return out;
}

Prediction EmLearner::predict(std::span<const int32_t> rows, const Poll& poll) {
  const GraphPosterior& posterior = graph_posterior();
  const std::vector<int64_t>& ids = posterior.p.lam_ids();
  EMGNN_CHECK(ids.front() >= 0 && ids.back() < first().family().size(),
              "the model's posterior has points that the data has not", ids.back());
  const Task& task = first().task();
  believe(posterior, poll);
  const GraphWeights graphs = posterior.weights(kept_to_predict(posterior.p));
  const std::unique_ptr<Expectation> mean = task.expectation(first().average());
  const Problem::View view = first().view_of(rows);
  for (const Problem& problem : problems_) {
    if (&problem != &problems_.front()) mean->next_network();
    problem.predict(*view, graphs, 1.0 / static_cast<double>(problems_.size()), *mean, poll);
  }
  Prediction out{.rows = {rows.begin(), rows.end()}};
  mean->finish(out);
  task.temper(out, temperature_);
  return out;
}

std::vector<JudgedGraph> EmLearner::judge_graphs(std::span<const int32_t> rows, const Poll& poll) {
  constexpr int64_t kGraphs = 512;
  const GraphPosterior& posterior = graph_posterior();
  const Task& task = first().task();
  believe(posterior, poll);
  const GraphWeights graphs =
      posterior.weights(Posterior::uniform(posterior.p.lam_ids()).thinned(kGraphs));
  const std::vector<double> loss = e_step_.losses(graphs.lam_ids, poll);
  Problem::Expectations alone;
  for (size_t g = 0; g < loss.size(); ++g) alone.push_back(task.expectation(first().average()));
  const Problem::View view = first().view_of(rows);
  for (const Problem& problem : problems_)
    problem.predict_each(*view, graphs, 1.0 / static_cast<double>(problems_.size()), alone, poll);
  std::vector<JudgedGraph> out;
  for (size_t g = 0; g < loss.size(); ++g) {
    Prediction prediction{.rows = {rows.begin(), rows.end()}};
    alone[g]->finish(prediction);
    const PartScores scores = task.score(prediction, Ranks::kCompute);
    out.push_back({graphs.lam_ids[g], loss[g], scores.scores.at(task.main_score().name)});
  }
  return out;
}

std::optional<GraphDistribution> EmLearner::graphs() const {
  const GraphFamily& family = first().family();
  const Posterior& p = posterior();
  GraphDistribution out{.family = family.name(),
                        .names = family.coordinate_names(),
                        .num_shares = family.num_shares(),
                        .points = {},
                        .prior = {}};
  for (size_t i = 0; i < p.lam_ids().size(); ++i)
    out.points.push_back({family.point(p.lam_ids()[i]), std::exp(p.log_probs()[i])});
  for (size_t c = 0; c < out.names.size(); ++c) out.prior.push_back(family.prior_marginal(c));
  return out;
}

FamilyReport EmLearner::graph_report() const {
  GraphFamily::SeveralBeliefs beliefs;
  for (const Problem& problem : problems_) beliefs.push_back(problem.beliefs());
  FamilyReport out =
      first().family().report(graph_posterior().weights(), beliefs,
                              [this](int32_t row) { return first().data().row_name(row); });
  add_draws(out);
  return out;
}

// One table per chain.
void EmLearner::add_draws(FamilyReport& report) const {
  const std::shared_ptr<const SampledDraws>& sampled = graph_posterior().sampled;
  if (!sampled) return;
  DrawsHeader header{
      .about = {"emgnn " + first().family().name(), fmt::format("seed = {}", options_.seed)},
      .warmup = options_.mcmc.burn_in};
  if (sampled->known.fitted())
    header.about.emplace_back("lp__ and the draws are those of a fit of the loss");
  for (size_t k = 0; k < sampled->draws.lam_ids.size(); ++k)
    report.tables.push_back({fmt::format("draws-{}.csv", k + 1),
                             draws_csv(first().family(), sampled->draws, k, header)});
}

void EmLearner::visit_state(StateVisitor& visitor) {
  first().task().visit_state(visitor);
  loop_.visit_state(visitor);
  const bool tempered = e_step_.tempers_predictions();
  if (tempered) visitor.number("temperature", temperature_);
  if (!visitor.training()) {
    std::optional<GraphPosterior> stored;
    if (!visitor.reading()) stored = graph_posterior();
    visit_posterior(visitor, "posterior", stored, tempered);
    if (visitor.reading()) best_posterior_ = posterior_ = std::move(stored);
    return;
  }
  visit_posterior(visitor, "posterior", posterior_, tempered);
  visit_posterior(visitor, "best_posterior", best_posterior_, tempered);
  visit_rounds(visitor, rounds_);
  visit_judging(visitor);
  for (size_t k = 0; k < problems_.size() && first().family().reads_beliefs(); ++k)
    problems_[k].visit_beliefs(visitor, fmt::format("beliefs.{}", k));
}

void EmLearner::visit_judging(StateVisitor& visitor) {
  judging_ = visitor.has("judging", judging_);
  if (!judging_) return;
  for (size_t k = 0; k < problems_.size(); ++k) {
    if (k == logs_.size()) logs_.push_back(std::make_shared<EvidenceLog>());
    logs_[k]->visit_state(visitor, fmt::format("judging/{}", k));
  }
}

}  // namespace emgnn
