// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/trial.h>

#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/run/evaluate.h>

namespace emgnn {

namespace {

constexpr const char* kInterrupted = "interrupted while presets were compared";

// Lets a learner stop after some epochs and keeps its state.
class Pause : public FitObserver {
 public:
  Pause(int64_t epochs, RunsObserver& next) : epochs_(epochs), next_(next) {}

  void on_epoch(const EpochRecord& epoch) override { done_ = epoch.epoch; }
  void on_checkpoint(Learner& learner) override {
    StateWriter writer(StateVisitor::Scope::kTraining);
    learner.visit_state(writer);
    state = std::move(writer.archive);
  }
  bool stop_requested() override {
    by_user = by_user || next_.stop_requested();
    return by_user || done_ >= epochs_;
  }

  std::optional<TensorArchive> state;
  bool by_user = false;

 private:
  int64_t epochs_, done_ = 0;
  RunsObserver& next_;
};

}  // namespace

Trial::Trial(std::string name, RunConfig config, std::shared_ptr<const Data> data, uint64_t seed)
    : name_(std::move(name)),
      config_(std::make_shared<const RunConfig>(std::move(config))),
      data_(std::move(data)),
      seed_(seed) {}

void Trial::train_until(int64_t epochs, RunsObserver& observer) {
  if (ended_) return;
  const std::shared_ptr<Learner> learner =
      config_->learner({.data = data_, .prepared = std::make_shared<Prepared>(), .seed = seed_});
  if (state_) {
    StateReader reader(*state_, "a trial", StateVisitor::Scope::kTraining);
    learner->visit_state(reader);
  }
  Pause pause(epochs, observer);
  try {
    learner->fit(pause);
    ended_ = true;
  } catch (const Interrupted&) {
    if (pause.by_user || observer.stop_requested()) throw Interrupted(kInterrupted);
    state_ = std::move(pause.state);
  }
  const std::vector<int32_t>& rows = data_->split().validation;
  const Prediction prediction = learner->predict(rows, [&] {
    if (observer.stop_requested()) throw Interrupted(kInterrupted);
  });
  const std::shared_ptr<const Task> task = task_of(*learner, *data_);
  const PartScores scores = task->score(prediction, Ranks::kCompute);
  info_ = task->main_score();
  score_ = scores.scores.at(info_.name);
  loss_ = scores.loss;
}

bool Trial::is_better_than(const Trial& other) const {
  if (std::isnan(score_) || std::isnan(other.score_))
    return std::isnan(other.score_) && !std::isnan(score_);
  if (score_ != other.score_) return info_.higher_is_better == (score_ > other.score_);
  return loss_ < other.loss_;
}

}  // namespace emgnn
