// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/fit_loop.h>

#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/learn/serial_aten.h>
#include <emgnn/learn/weight_average.h>

namespace emgnn {

namespace {

// So much work is lost at most when the machine fails.
constexpr std::chrono::seconds kCheckpointPeriod{30};

std::vector<std::string> names_of(const Network& network, bool buffers) {
  std::vector<std::string> out;
  for (const Parameter& p : network.parameters()) out.push_back(p.name);
  for (const Buffer& b : network.buffers())
    if (buffers) out.push_back(b.name);
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

}  // namespace

FitLoop::FitLoop(std::shared_ptr<Network> network, LoopOptions options)
    : network_(std::move(network)), options_(std::move(options)), adam_(network_, options_.optim) {}

void FitLoop::run(FitStep& step, FitObserver& observer, Learner& learner) {
  const SerialAten serial;
  while (epoch_ < step.max_epochs() && !stopped_) {
    const bool stop = observer.stop_requested();
    const bool due = Clock::now() - last_checkpoint_ > kCheckpointPeriod;
    if (stop || due || step.needs_beginning(epoch_)) checkpoint(observer, learner);
    if (stop) {
      throw Interrupted(
          fmt::format("interrupted after {} of {} epochs", epoch_, step.max_epochs()));
    }
    one_epoch(step, observer);
  }
  if (!finished_ && !best_.empty()) assign(*network_, best_);
  finished_ = true;
}

void FitLoop::checkpoint(FitObserver& observer, Learner& learner) {
  observer.on_checkpoint(learner);
  last_checkpoint_ = Clock::now();
}

void FitLoop::one_epoch(FitStep& step, FitObserver& observer) {
  EpochRecord record{.max_epochs = step.max_epochs(), .round = step.round(epoch_)};
  if (step.needs_beginning(epoch_)) {
    const WithAverage weights(*network_, average_);
    step.begin_epoch(epoch_, observer);
  }
  const int64_t steps = step.steps_per_epoch();
  const double progress = static_cast<double>(epoch_) / static_cast<double>(step.max_epochs());
  for (int64_t k = 0; k < steps; ++k) {
    record.train_loss += step.descend(epoch_, epoch_ * steps + k);
    adam_.step(progress);
  }
  record.train_loss /= static_cast<double>(steps);
  if (options_.optim.average > 0.0)
    update_average(average_, *network_, options_.optim.average, epoch_);
  const bool validates = step.validates(epoch_);
  record.epoch = ++epoch_;
  const bool last = epoch_ == step.max_epochs();
  if (validates && (epoch_ % options_.stop.every == 0 || last)) validate(step, record);
  observer.on_epoch(record);
}

void FitLoop::validate(FitStep& step, EpochRecord& record) {
  const WithAverage weights(*network_, average_);
  record.validation = step.validate(reads_ranks(options_.rule) ? Ranks::kCompute : Ranks::kSkip);
  check_defined(options_.rule, *record.validation);
  const StopVerdict verdict = judge(options_.rule, options_.stop.patience, stop_,
                                    record.validation->loss, record.validation->scores);
  if (verdict.keep || best_.empty()) {
    best_ = values_of(*network_);
    step.keep();
  }
  stopped_ = verdict.stop;
}

void FitLoop::visit_state(StateVisitor& visitor) {
  for (const Parameter& p : network_->parameters()) {
    at::Tensor value = p.value;
    p.per_node ? visitor.node_tensor("weight/" + p.name, value)
               : visitor.tensor("weight/" + p.name, value);
  }
  for (const Buffer& b : network_->buffers()) {
    at::Tensor value = b.value;
    visitor.tensor("weight/" + b.name, value);
  }
  if (!visitor.training()) return;
  visitor.number("fit/epoch", epoch_);
  visitor.flag("fit/stopped", stopped_);
  visitor.flag("fit/finished", finished_);
  visitor.number("fit/best_loss", stop_.best_loss);
  visitor.number("fit/best_score", stop_.best_score);
  visitor.number("fit/waited", stop_.waited);
  const std::vector<std::string> names = names_of(*network_, false),
                                 all = names_of(*network_, true);
  visitor.tensors("first_moment/", names, adam_.first_moment);
  visitor.tensors("second_moment/", names, adam_.second_moment);
  visitor.number("fit/updates", adam_.num_updates);
  if (visitor.has("best_weight", !best_.empty())) visitor.tensors("best_weight/", all, best_);
  if (visitor.has("average", !average_.empty())) visitor.tensors("average/", all, average_);
}

}  // namespace emgnn
