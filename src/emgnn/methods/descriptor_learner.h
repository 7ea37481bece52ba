// SPDX-License-Identifier: Apache-2.0
// What the methods that read descriptors and fingerprints of molecules have in common: no graph, no
// gradient.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <emgnn/data/descriptors.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/task.h>
#include <emgnn/methods/method.h>

namespace emgnn {

// What is known of the training rows: [rows, width]. A class is a 1 among zeros.
struct KnownOutputs {
  std::vector<double> value;
  std::vector<double> weight;  // 0: not known
};

class DescriptorLearner : public Learner {
 public:
  explicit DescriptorLearner(const LearnerInput& input);

  std::shared_ptr<const Task> task() const override { return task_; }
  void visit_state(StateVisitor& visitor) override;

 protected:
  const std::vector<int32_t>& train() const { return data_->split().train; }
  int64_t width() const { return task_->num_outputs(); }
  KnownOutputs known_outputs() const;
  FeatureRows rows_of(std::span<const int32_t> rows) const;
  struct Outputs {
    // Of some rows: [replicates, rows, width], each replicate as likely as the others.
    std::function<at::Tensor(const FeatureRows&)> of;
    size_t at_once;  // rows: memory does not grow with the table
    Average average;
    double temperature = 1.0;
  };
  Prediction expectation_of(const Outputs& outputs, std::span<const int32_t> rows,
                            const Poll& poll) const;

 private:
  std::shared_ptr<const Data> data_;
  std::shared_ptr<Task> task_;
  DescriptorScale scale_;
};

}  // namespace emgnn
