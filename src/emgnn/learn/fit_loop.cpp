// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/fit_loop.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/learn/serial_aten.h>
#include <emgnn/learn/weight_average.h>

namespace emgnn {

namespace {

// So much work is lost at most when the machine fails.
constexpr std::chrono::seconds kCheckpointPeriod{30};
// The same when an epoch's beginning is interrupted, which may change the state before it ends.
constexpr std::chrono::seconds kBeginningPeriod{1};
// Such epochs may be given up in their middle.
constexpr std::chrono::milliseconds kSlowEpoch{500};

std::vector<std::string> names_of(const Network& network) {
  std::vector<std::string> out;
  for (const Parameter& p : network.parameters()) out.push_back(p.name);
  for (const Buffer& b : network.buffers()) out.push_back(b.name);
  return out;
}

bool reads_ranks(const StopRule& rule) {
  return rule.score == "roc_auc" || rule.score == "average_precision";
}

// Some scores do not exist on every set of rows; roc_auc needs rows with and without a label.
void check_defined(const StopRule& rule, const PartScores& validation) {
  if (rule.score.empty() || !std::isfinite(validation.loss)) return;
  const double* score = validation.scores.find(rule.score);
  if (score == nullptr || !std::isnan(*score)) return;
  throw UsageError(fmt::format(
      "stop.rule: {} is not defined on the validation rows; choose another", rule.score));
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Of each score over the members.
PartScores mean_of(const std::vector<PartScores>& members) {
  if (members.size() == 1) return members.front();
  PartScores out = members.front();
  const auto mean = [&](auto get) {
    double sum = 0.0;
    for (const PartScores& member : members) sum += get(member);
    return sum / static_cast<double>(members.size());
  };
  out.loss = mean([](const PartScores& m) { return m.loss; });
  for (const Score& score : members.front().scores.all()) {
    out.scores.set(score.name, mean([&](const PartScores& m) { return m.scores.at(score.name); }));
  }
  return out;
}

}  // namespace

FitLoop::FitLoop(std::vector<std::shared_ptr<Network>> members, LoopOptions options)
    : options_(std::move(options)) {
  for (std::shared_ptr<Network>& network : members) members_.push_back(new_member(network));
}

FitLoop::Member FitLoop::new_member(const std::shared_ptr<Network>& network) const {
  std::vector<Adam> optimisers = {Adam(network, options_.optim)};
  for (const OptimOptions& other : options_.other_optim)
    optimisers.emplace_back(network, other, static_cast<int>(optimisers.size()));
  return {.network = network, .optimisers = std::move(optimisers)};
}

bool FitLoop::stopped_early() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member& m) { return m.stopped; });
}

void FitLoop::run(FitStep& step, FitObserver& observer, Learner& learner) {
  const SerialAten serial;
  while (epoch_ < step.max_epochs() && !stopped_early()) {
    const bool stop = observer.stop_requested();
    if (stop || checkpoint_due(step)) checkpoint(observer, learner);
    if (stop) {
      throw Interrupted(
          fmt::format("interrupted after {} of {} epochs", epoch_, step.max_epochs()));
    }
    interruptible_epoch(step, observer);
  }
  if (finished_) return;
  if (step.has_finish()) checkpoint(observer, learner);
  for (const Member& member : members_)
    if (!member.best.empty()) assign(*member.network, member.best);
  if (step.has_finish()) step.finish(observer);
  finished_ = true;
}

// An epoch that does not end soon after the wish to stop is given up: the checkpoint of an earlier one
// is what is left of the run. Of the first epoch nothing is.
void FitLoop::interruptible_epoch(FitStep& step, FitObserver& observer) {
  const Clock::time_point start = Clock::now();
  const int64_t epoch = epoch_;
  std::vector<std::vector<at::Tensor>> initial;
  for (size_t m = 0; m < members_.size() && !has_checkpoint_; ++m)
    initial.push_back(values_of(*members_[m].network));
  try {
    one_epoch(step, observer);
  } catch (const Interrupted&) {
    if (step.needs_beginning(epoch)) throw;  // it says so itself
    if (!has_checkpoint_) start_again(initial);
    throw Interrupted(fmt::format("interrupted in epoch {} of {}, kept up to epoch {}", epoch + 1,
                                  step.max_epochs(), checkpoint_epoch_));
  }
  slow_ = Clock::now() - start > kSlowEpoch;
}

// As before the first gradient step.
void FitLoop::start_again(const std::vector<std::vector<at::Tensor>>& initial) {
  for (size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    assign(*member.network, initial[m]);
    member = new_member(member.network);
  }
}

bool FitLoop::checkpoint_due(const FitStep& step) const {
  const Clock::duration age = Clock::now() - last_checkpoint_;
  if (slow_ && age > kBeginningPeriod) return true;
  // Before the first epoch there is nothing to lose.
  if (!has_checkpoint_) return epoch_ > 0 || step.needs_beginning(epoch_);
  return age > (step.needs_beginning(epoch_) ? kBeginningPeriod : kCheckpointPeriod);
}

void FitLoop::checkpoint(FitObserver& observer, Learner& learner) {
  observer.on_checkpoint(learner);
  last_checkpoint_ = Clock::now();
  has_checkpoint_ = true;
  checkpoint_epoch_ = epoch_;
}

void FitLoop::begin(FitStep& step, FitObserver& observer) {
  std::list<WithAverage> weights;
  for (const Member& member : members_) weights.emplace_back(*member.network, member.average);
  step.begin_epoch(epoch_, observer);
}

void FitLoop::end(FitStep& step, size_t number) {
  const Member& member = members_[number];
  const WithAverage weights(*member.network, member.average);
  step.end_epoch(number, epoch_);
}

void FitLoop::one_epoch(FitStep& step, FitObserver& observer) {
  EpochRecord record{.max_epochs = step.max_epochs(), .round = step.round(epoch_)};
  if (step.needs_beginning(epoch_)) begin(step, observer);
  if (!step.has_begun(epoch_)) return;
  const bool last = epoch_ + 1 == step.max_epochs();
  const bool validates =
      step.validates(epoch_) && ((epoch_ + 1) % options_.stop.every == 0 || last);
  std::vector<double> loss;
  std::vector<PartScores> scores;
  for (size_t m = 0; m < members_.size(); ++m) {
    if (members_[m].stopped) continue;
    loss.push_back(steps_of_epoch(step, m, validates ? &scores : nullptr));
  }
  record.train_loss = mean_of(loss);
  if (validates) record.validation = mean_of(scores);
  record.epoch = ++epoch_;
  observer.on_epoch(record);
}

// The mean loss of its gradient steps; adds the last validation to `scores`, null: there is none.
double FitLoop::steps_of_epoch(FitStep& step, size_t number, std::vector<PartScores>* scores) {
  Member& member = members_[number];
  const double progress = static_cast<double>(epoch_) / static_cast<double>(step.max_epochs());
  const int64_t steps = step.steps_per_epoch(number);
  double sum = 0.0;
  for (int64_t k = 0; k < steps; ++k) {
    sum += step.descend(number, epoch_, epoch_ * steps + k);
    member.optimisers.at(step.optimiser(k)).step(progress);
    const bool last = k + 1 == steps;
    if (last && options_.optim.average > 0.0)
      update_average(member.average, *member.network, options_.optim.average, epoch_);
    if (last) end(step, number);
    // An average moves once per epoch: before that there is nothing new to validate.
    const bool every = step.validates_steps() && options_.optim.average == 0.0;
    if (scores == nullptr || !(last || every)) continue;
    PartScores now = validate(step, number);
    if (last) scores->push_back(std::move(now));
  }
  return sum / static_cast<double>(steps);
}

PartScores FitLoop::validate(FitStep& step, size_t number) {
  Member& member = members_[number];
  const WithAverage weights(*member.network, member.average);
  PartScores scores =
      step.validate(number, reads_ranks(options_.rule) ? Ranks::kCompute : Ranks::kSkip);
  check_defined(options_.rule, scores);
  const StopVerdict verdict =
      judge(options_.rule, options_.stop.patience, member.stop, scores.loss, scores.scores);
  if (verdict.keep || member.best.empty()) {
    member.best = values_of(*member.network);
    step.keep(number);
  }
  member.stopped = verdict.stop;
  return scores;
}

void FitLoop::visit_state(StateVisitor& visitor) {
  const bool alone = members_.size() == 1;
  for (size_t m = 0; m < members_.size(); ++m)
    visit_member(visitor, members_[m], alone ? "" : fmt::format("network/{}/", m));
  if (!visitor.training()) return;
  visitor.number("fit/epoch", epoch_);
  visitor.flag("fit/finished", finished_);
}

void FitLoop::visit_member(StateVisitor& visitor, Member& member, const std::string& prefix) {
  const Network& network = *member.network;
  for (const Parameter& p : network.parameters()) {
    at::Tensor value = p.value;
    const std::string name = prefix + "weight/" + p.name;
    p.per_node ? visitor.node_tensor(name, value) : visitor.tensor(name, value);
  }
  for (const Buffer& b : network.buffers()) {
    at::Tensor value = b.value;
    visitor.tensor(prefix + "weight/" + b.name, value);
  }
  if (!visitor.training()) return;
  visitor.flag(prefix + "fit/stopped", member.stopped);
  visitor.number(prefix + "fit/best_loss", member.stop.best_loss);
  visitor.number(prefix + "fit/best_score", member.stop.best_score);
  visitor.number(prefix + "fit/waited", member.stop.waited);
  const std::vector<std::string> all = names_of(network);
  for (size_t k = 0; k < member.optimisers.size(); ++k) {
    Adam& adam = member.optimisers[k];
    visitor.tensors(prefix + "first_moment/", adam.names(), adam.first_moment);
    visitor.tensors(prefix + "second_moment/", adam.names(), adam.second_moment);
    const std::string number = k == 0 ? "" : fmt::format(".{}", k);
    visitor.number(prefix + "fit/updates" + number, adam.num_updates);
  }
  if (visitor.has(prefix + "best_weight", !member.best.empty()))
    visitor.tensors(prefix + "best_weight/", all, member.best);
  if (visitor.has(prefix + "average", !member.average.empty()))
    visitor.tensors(prefix + "average/", all, member.average);
}

}  // namespace emgnn
