// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/calibrated_learner.h>

#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/learn/task.h>

namespace emgnn {

namespace {

// Hands over checkpoints of the whole, not of what is inside.
class OuterCheckpoints : public FitObserver {
 public:
  OuterCheckpoints(FitObserver& next, Learner& whole) : next_(next), whole_(whole) {}

  void on_round(const RoundRecord& round) override { next_.on_round(round); }
  void on_epoch(const EpochRecord& epoch) override { next_.on_epoch(epoch); }
  void on_note(const std::string& note) override { next_.on_note(note); }
  void on_phase(const std::string& what) override { next_.on_phase(what); }
  void on_checkpoint(Learner& /*inner*/) override { next_.on_checkpoint(whole_); }
  bool checkpoint_due() override { return next_.checkpoint_due(); }
  bool stop_requested() override { return next_.stop_requested(); }

 private:
  FitObserver& next_;
  Learner& whole_;
};

}  // namespace

CalibratedLearner::CalibratedLearner(std::shared_ptr<Learner> learner,
                                     std::shared_ptr<const Task> task,
                                     std::vector<int32_t> validation)
    : learner_(std::move(learner)), task_(std::move(task)), validation_(std::move(validation)) {}

void CalibratedLearner::fit(FitObserver& observer) {
  if (validation_.empty())
    throw UsageError("calibrate=validation: there are no validation labels; use none");
  OuterCheckpoints own(observer, *this);
  learner_->fit(own);
  try {
    const Prediction prediction = learner_->predict(validation_, [&] {
      if (observer.stop_requested()) throw Interrupted("asked for");
    });
    calibration_ = task_->calibration(prediction);
  } catch (const Interrupted&) {  // by the poll, or by a large product
    observer.on_checkpoint(*this);
    throw Interrupted("interrupted before the calibration");
  }
}

Prediction CalibratedLearner::predict(std::span<const int32_t> rows, const Poll& poll) {
  Prediction out = learner_->predict(rows, poll);
  if (!calibration_.empty()) task_->calibrate(out, calibration_);
  return out;
}

void CalibratedLearner::visit_state(StateVisitor& visitor) {
  learner_->visit_state(visitor);
  task_->visit_calibration(visitor, calibration_);
}

}  // namespace emgnn
