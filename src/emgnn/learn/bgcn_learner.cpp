// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/bgcn_learner.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/all_rows.h>
#include <emgnn/graph/block_model_graph.h>
#include <emgnn/learn/tensor_numbers.h>
#include <emgnn/space/block_model_report.h>
#include <emgnn/space/mixture.h>

namespace emgnn {

namespace {

constexpr int64_t kIterationsOfAPart = 50;  // at most, between chances for a checkpoint

// Step sizes ε_t = (1024 + t)^-1/2 / s: large ones from a random start (s = 0.1, t from 0), small
// ones from what the network says (s = 1, t from 10 000).
double step_size(int64_t t, double s) {
  return 1.0 / (s * std::sqrt(1024.0 + static_cast<double>(t)));
}
constexpr double kRandomScale = 0.1, kGuidedScale = 1.0;
constexpr int64_t kGuidedStart = 10'000;

// The one graph of a problem.
const GraphWeights& its_graph() {
  static const GraphWeights one{.lam_ids = {0}, .log_prob = {0.0}};
  return one;
}

// No validation chooses weights.
LoopOptions loop_options(const OptimOptions& optim, const Task& task) {
  StopOptions stop;
  stop.rule = "never";
  return {.optim = optim, .stop = stop, .rule = stop_rule(stop, task)};
}

std::vector<double> probabilities(const Prediction& prediction) {
  std::vector<double> out;
  for (const double log_prob : prediction.value) out.push_back(std::exp(log_prob));
  return out;
}

}  // namespace

BgcnLearner::BgcnLearner(BgcnParts parts, const BgcnLearnerOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      all_rows_(all_rows(*parts_.data)),
      block_fit_(symmetrise(joined(parts_.data->graph()->graph)), options.bgcn.fit),
      observed_(problem_on(block_fit_.graph())),
      loop_({parts_.network}, loop_options(options.optim, *parts_.task)) {
  const int64_t first = options.bgcn.first_averaged();
  EMGNN_CHECK(options.fit.epochs > first,
              fmt::format("fit.epochs must be more than bgcn.warmup + bgcn.burn_in + 1 = {}: only "
                          "later epochs have a part in the answer",
                          first),
              options.fit.epochs);
}

Problem BgcnLearner::problem_on(Csr graph) const {
  TypedGraph typed{.num_nodes = graph.num_rows, .relations = {}};
  typed.relations.push_back({"edges", std::move(graph)});
  auto views = std::make_shared<ViewSet>();
  views->graph = std::make_shared<const TypedGraph>(std::move(typed));
  views->trust = {nullptr};
  const GraphOptions graph_options{.normalisation = options_.normalisation};
  return {{.data = parts_.data,
           .family = MixtureFamily::observed_only(parts_.data->graph(), graph_options, views),
           .network = parts_.network,
           .task = parts_.task},
          {.average = Average::kProbabilities, .seed = options_.seed}};
}

// After the last epoch on the graph as given, and every `refit` epochs from there.
bool BgcnLearner::needs_beginning(int64_t epoch) const {
  return on_drawn_graph(epoch) && (epoch - 1 - options_.bgcn.warmup) % options_.bgcn.refit == 0;
}

void BgcnLearner::begin_epoch(int64_t epoch, FitObserver& observer) {
  const BgcnOptions& bgcn = options_.bgcn;
  const bool first = epoch == bgcn.warmup + 1;
  const int64_t total = bgcn.iterations + (first ? bgcn.random_iterations : 0);
  const int64_t end = std::min(total, iteration_ + kIterationsOfAPart);
  for (; iteration_ < end; ++iteration_) {
    if (observer.stop_requested())
      throw Interrupted(fmt::format("interrupted after {} of {} epochs", epoch, max_epochs()));
    fit_block_model(epoch);
    if (observer.checkpoint_due()) {
      ++iteration_;
      break;
    }
  }
  if (iteration_ == total) iteration_ = 0;
}

// First from a random start, for the scales alone; then from what the network says of the nodes on
// the graph as given.
void BgcnLearner::fit_block_model(int64_t epoch) {
  const BgcnOptions& bgcn = options_.bgcn;
  const bool first = epoch == bgcn.warmup + 1;
  const int64_t random = first ? bgcn.random_iterations : 0;
  if (first && iteration_ == 0) {
    block_model_ = random_block_model(parts_.data->num_rows(), parts_.task->num_outputs(),
                                      bgcn.cross, options_.seed);
  }
  if (iteration_ == random) {
    restart(block_model_, block_fit_.graph(),
            probabilities(observed_.predict(its_graph(), all_rows_, {})));
  }
  const double epsilon = iteration_ < random
                             ? step_size(iteration_, kRandomScale)
                             : step_size(kGuidedStart + iteration_ - random, kGuidedScale);
  const uint64_t number = static_cast<uint64_t>(epoch) << 32 | static_cast<uint64_t>(iteration_);
  block_fit_.step(block_model_, epsilon, options_.seed, number);
}

double BgcnLearner::descend(size_t /*member*/, int64_t epoch, int64_t step) {
  if (on_drawn_graph(epoch)) {
    drawn_.emplace(
        problem_on(sample_graph(block_model_, options_.seed, static_cast<uint64_t>(epoch))));
  }
  Problem& problem = current();
  const Mode mode{.training = true, .seed = options_.seed, .step = static_cast<uint64_t>(step)};
  const Objective objective = problem.objective({}, mode, {epoch, max_epochs()});
  objective.value.backward();
  return objective.mean_loss;
}

void BgcnLearner::end_epoch(size_t /*member*/, int64_t epoch) {
  if (epoch >= options_.bgcn.first_averaged())
    answer_.add(drawn_->predict(its_graph(), all_rows_, {}));
}

// Of what would be answered if this were the last epoch.
PartScores BgcnLearner::validate(size_t /*member*/, Ranks ranks) {
  if (answer_.empty()) return current().validate(its_graph(), ranks);
  return parts_.task->score(answer_.of(parts_.data->split().validation), ranks);
}

// Before the first epoch that counts, what the network says on the last graph it saw.
Prediction BgcnLearner::predict(std::span<const int32_t> rows, const Poll& poll) {
  if (!answer_.empty()) return answer_.of(rows);
  if (loop_.epochs() == 0) throw UsageError("bgcn has no answer before training");
  return current().predict(its_graph(), rows, poll);
}

std::optional<GraphDistribution> BgcnLearner::graphs() const {
  return GraphDistribution{
      .family = "block-model", .names = {}, .points = {{.lambda = {}, .p = 1.0}}, .prior = {}};
}

FamilyReport BgcnLearner::graph_report() const {
  if (block_model_.num_communities == 0)
    throw UsageError("there is no block model before training");
  const Data& data = *parts_.data;
  return block_model_report(block_model_, block_fit_.graph(), data.labels().names,
                            [&](int32_t row) { return data.row_name(row); });
}

void BgcnLearner::visit_state(StateVisitor& visitor) {
  parts_.task->visit_state(visitor);
  answer_.visit_state(visitor, parts_.data->num_rows(), parts_.task->num_outputs());
  visit_block_model(visitor);
  if (!visitor.training()) return;
  visitor.number("block_model/iteration", iteration_);
  loop_.visit_state(visitor);
}

void BgcnLearner::visit_block_model(StateVisitor& visitor) {
  if (!visitor.has("block_model", block_model_.num_communities > 0)) return;
  const int64_t communities = parts_.task->num_outputs();
  at::Tensor phi;
  if (!visitor.reading()) phi = at::tensor(block_model_.phi).view({-1, communities});
  visitor.node_tensor("block_model/phi", phi);
  visitor.numbers("block_model/theta", block_model_.theta);
  if (!visitor.reading()) return;
  if (phi.dim() != 2 || phi.size(0) != parts_.data->num_rows() || phi.size(1) != communities ||
      block_model_.theta.size() != 2 * static_cast<size_t>(communities))
    visitor.fail("block_model is not one of these nodes and classes");
  const at::Tensor flat = phi.to(at::kDouble).contiguous();
  block_model_.phi.assign(numbers(flat).begin(), numbers(flat).end());
  block_model_.num_communities = communities;
  block_model_.cross = options_.bgcn.cross;
}

}  // namespace emgnn
