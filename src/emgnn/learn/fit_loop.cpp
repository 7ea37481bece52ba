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

// So much work is lost at most when an epoch's beginning is interrupted, which may change the state
// before it ends.
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

void visit(StateVisitor& visitor, const std::string& name, PartScores& scores) {
  visitor.number(name + "/loss", scores.loss);
  auto count = static_cast<int64_t>(scores.scores.all().size());
  visitor.number(name + "/count", count);
  Scores out;
  for (int64_t k = 0; k < count; ++k) {
    Score score;
    if (!visitor.reading()) score = scores.scores.all()[static_cast<size_t>(k)];
    visitor.text(fmt::format("{}/{}/name", name, k), score.name);
    visitor.number(fmt::format("{}/{}/value", name, k), score.value);
    out.set(score.name, score.value);
  }
  scores.scores = out;
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
  const Watch watch{observer, learner};
  while (part_ || (epoch_ < step.max_epochs() && !stopped_early())) {
    const bool stop = observer.stop_requested();
    if (stop || checkpoint_due(step, observer)) checkpoint(watch);
    if (stop) {
      throw Interrupted(
          fmt::format("interrupted after {} of {} epochs", epoch_, step.max_epochs()));
    }
    interruptible_epoch(step, watch);
  }
  if (!finished_) finish(step, watch);
  finished_ = true;
}

void FitLoop::finish(FitStep& step, const Watch& watch) {
  if (step.has_finish()) checkpoint(watch);
  for (const Member& member : members_)
    if (!member.best.empty()) assign(*member.network, member.best);
  if (!step.has_finish()) return;
  step.finish(watch.observer);
  while (!step.has_finished()) {
    checkpoint(watch);
    step.finish(watch.observer);
  }
}

// An epoch that does not end soon after the wish to stop is given up: the last checkpoint is what is
// left of the run. Of the first epoch nothing is, if there was none.
void FitLoop::interruptible_epoch(FitStep& step, const Watch& watch) {
  const Clock::time_point start = Clock::now();
  const int64_t epoch = epoch_;
  std::vector<std::vector<at::Tensor>> initial;
  for (size_t m = 0; m < members_.size() && !has_checkpoint_; ++m)
    initial.push_back(values_of(*members_[m].network));
  try {
    one_epoch(step, watch);
  } catch (const Interrupted&) {
    if (interrupted_between_steps_) throw;
    if (step.needs_beginning(epoch) && !part_) throw;  // it says so itself
    if (!has_checkpoint_) start_again(initial);
    throw Interrupted(fmt::format("interrupted in epoch {} of {}, kept up to epoch {}", epoch + 1,
                                  step.max_epochs(), checkpoint_epoch_));
  }
  slow_ = Clock::now() - start > kSlowEpoch;
}

// As before the first gradient step.
void FitLoop::start_again(const std::vector<std::vector<at::Tensor>>& initial) {
  part_.reset();
  for (size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    assign(*member.network, initial[m]);
    member = new_member(member.network);
  }
}

bool FitLoop::checkpoint_due(const FitStep& step, FitObserver& observer) const {
  const Clock::duration age = Clock::now() - last_checkpoint_;
  if (slow_ && age > kBeginningPeriod) return true;
  // Before the first epoch there is nothing to lose.
  if (!has_checkpoint_) return epoch_ > 0 || part_ || step.needs_beginning(epoch_);
  return observer.checkpoint_due() || (step.needs_beginning(epoch_) && age > kBeginningPeriod);
}

void FitLoop::checkpoint(const Watch& watch) {
  watch.observer.on_checkpoint(watch.learner);
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

bool FitLoop::validates(const FitStep& step) const {
  const bool last = epoch_ + 1 == step.max_epochs();
  return step.validates(epoch_) && ((epoch_ + 1) % options_.stop.every == 0 || last);
}

void FitLoop::one_epoch(FitStep& step, const Watch& watch) {
  EpochRecord record{.max_epochs = step.max_epochs(), .round = step.round(epoch_)};
  if (!part_) {
    if (step.needs_beginning(epoch_)) begin(step, watch.observer);
    if (!step.has_begun(epoch_)) return;
    part_.emplace();
  }
  for (; part_->member < static_cast<int64_t>(members_.size()); ++part_->member) {
    // One that stops within the epoch still ends it.
    const bool stopped = members_[static_cast<size_t>(part_->member)].stopped;
    if (!stopped || part_->step > 0) steps_of_epoch(step, watch);
  }
  record.train_loss = mean_of(part_->losses);
  if (validates(step)) record.validation = mean_of(part_->scores);
  part_.reset();
  record.epoch = ++epoch_;
  watch.observer.on_epoch(record);
}

// Those of part_->member that are left.
void FitLoop::steps_of_epoch(FitStep& step, const Watch& watch) {
  const int64_t steps = step.steps_per_epoch(static_cast<size_t>(part_->member));
  while (part_->step < steps) {
    const bool last = part_->step + 1 == steps;
    gradient_step(step, last);
    if (!last) between_steps(step, watch);
  }
  part_->losses.push_back(part_->loss / static_cast<double>(steps));
  part_->loss = 0.0;
  part_->step = 0;
}

void FitLoop::gradient_step(FitStep& step, bool last) {
  const auto number = static_cast<size_t>(part_->member);
  Member& member = members_[number];
  const double progress = static_cast<double>(epoch_) / static_cast<double>(step.max_epochs());
  part_->loss += step.descend(number, epoch_, epoch_ * step.steps_per_epoch(number) + part_->step);
  member.optimisers.at(step.optimiser(part_->step)).step(progress);
  if (last && options_.optim.average > 0.0)
    update_average(member.average, *member.network, options_.optim.average, epoch_);
  if (last) end(step, number);
  // An average moves once per epoch: before that there is nothing new to validate.
  const bool every = step.validates_steps() && options_.optim.average == 0.0;
  if (validates(step) && (last || every)) {
    PartScores now = validate(step, number);
    if (last) part_->scores.push_back(std::move(now));
  }
  ++part_->step;
}

void FitLoop::between_steps(const FitStep& step, const Watch& watch) {
  interrupted_between_steps_ = watch.observer.stop_requested();
  if (interrupted_between_steps_ || watch.observer.checkpoint_due()) checkpoint(watch);
  if (!interrupted_between_steps_) return;
  throw Interrupted(fmt::format("interrupted in epoch {} of {}, after {} of its {} gradient steps",
                                epoch_ + 1, step.max_epochs(), part_->step,
                                step.steps_per_epoch(static_cast<size_t>(part_->member))));
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
  visit_part(visitor);
}

void FitLoop::visit_part(StateVisitor& visitor) {
  if (!visitor.has("fit/part", part_.has_value())) return part_.reset();
  if (!part_) part_.emplace();
  visitor.number("fit/part/member", part_->member);
  visitor.number("fit/part/step", part_->step);
  visitor.number("fit/part/loss", part_->loss);
  visitor.numbers("fit/part/losses", part_->losses);
  auto count = static_cast<int64_t>(part_->scores.size());
  visitor.number("fit/part/scores", count);
  const auto members = static_cast<int64_t>(members_.size());
  if (part_->member < 0 || part_->member > members || part_->step < 0 || count < 0 ||
      count > members)
    visitor.fail("fit/part is no part of an epoch");
  part_->scores.resize(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k)
    visit(visitor, fmt::format("fit/part/score/{}", k), part_->scores[static_cast<size_t>(k)]);
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
