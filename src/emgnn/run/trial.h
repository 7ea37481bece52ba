// SPDX-License-Identifier: Apache-2.0
// A candidate that is trained for some epochs, judged on validation rows, and trained on from there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <emgnn/data/data.h>
#include <emgnn/formats/safetensors.h>
#include <emgnn/run/config.h>

namespace emgnn {

class Trial {
 public:
  // `config` makes the learner.
  Trial(std::string name, RunConfig config, std::shared_ptr<const Data> data, uint64_t seed);

  // Trains until so many epochs are done, or to the end, and scores the validation rows. Interrupted
  // when the observer asks to stop.
  void train_until(int64_t epochs, RunsObserver& observer);

  const std::string& name() const { return name_; }
  double score() const { return score_; }  // the task's main score
  double loss() const { return loss_; }
  const ScoreInfo& info() const { return info_; }
  // By score, then by loss; what is not a number is worse than any.
  bool is_better_than(const Trial& other) const;

 private:
  std::string name_;
  std::shared_ptr<const RunConfig> config_;
  std::shared_ptr<const Data> data_;
  uint64_t seed_;
  std::optional<TensorArchive> state_;  // where it stopped
  bool ended_ = false;                  // nothing is left to train
  ScoreInfo info_;
  double score_ = 0.0, loss_ = 0.0;
};

}  // namespace emgnn
