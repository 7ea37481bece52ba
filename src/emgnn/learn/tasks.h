// SPDX-License-Identifier: Apache-2.0
// The tasks; made by make_task.
#pragma once

#include <emgnn/data/target_scale.h>
#include <emgnn/learn/task.h>

namespace emgnn {

// The logit of a right answer in right_outputs(): a temperature of 0.1 to 3 makes it anything
// between unsure and certain.
inline constexpr double kRightLogit = 5.0;

// One class per row: softmax and cross-entropy.
class ClassTask : public Task {
 public:
  ClassTask(const Labels& labels, const TaskOptions& options, std::span<const int32_t> train);

  LabelKind kind() const override { return LabelKind::kClasses; }
  int64_t num_outputs() const override { return num_classes_; }
  TargetRows target(std::span<const int32_t> rows) const override;
  at::Tensor row_loss(const at::Tensor& outputs, const TargetRows& target) const override;
  std::vector<double> losses(const at::Tensor& outputs, const TargetRows& target) const override;
  std::vector<double> temperatures(const at::Tensor& outputs,
                                   const TargetRows& target) const override;
  void temper(Prediction& prediction, double temperature) const override;
  at::Tensor outputs_of(const Prediction& prediction) const override;
  at::Tensor right_outputs(const TargetRows& target) const override;
  std::unique_ptr<Expectation> expectation(Average average, Detail detail) const override;
  Prediction average(std::span<const Prediction> predictions) const override;
  std::optional<double> changed_by_graph(const Prediction& prediction) const override;
  std::span<const ScoreInfo> scores() const override { return class_score_info(); }
  const ScoreInfo& main_score() const override;
  PartScores score(const Prediction& prediction, Ranks ranks) const override;
  std::vector<GroupScores> group_scores(const Prediction& prediction) const override;
  std::vector<ReliabilityBin> reliability(const Prediction& prediction) const override;

 private:
  std::vector<int32_t> cls_of(std::span<const int32_t> rows) const;

  int64_t num_classes_;
  std::vector<int32_t> cls_;
  std::vector<double> class_weight_;  // empty: all ones
};

// Several labels per row, each there or not: a sigmoid and binary cross-entropy each, the mean over
// the labels that are known.
class LabelTask : public Task {
 public:
  LabelTask(const Labels& labels, const TaskOptions& options, std::span<const int32_t> train);

  LabelKind kind() const override { return LabelKind::kLabels; }
  int64_t num_outputs() const override { return num_labels_; }
  TargetRows target(std::span<const int32_t> rows) const override;
  at::Tensor row_loss(const at::Tensor& outputs, const TargetRows& target) const override;
  std::vector<double> temperatures(const at::Tensor& outputs,
                                   const TargetRows& target) const override;
  void temper(Prediction& prediction, double temperature) const override;
  at::Tensor outputs_of(const Prediction& prediction) const override;
  at::Tensor right_outputs(const TargetRows& target) const override;
  std::unique_ptr<Expectation> expectation(Average average, Detail detail) const override;
  Prediction average(std::span<const Prediction> predictions) const override;
  std::optional<double> changed_by_graph(const Prediction& prediction) const override;
  std::span<const ScoreInfo> scores() const override { return label_score_info(); }
  const ScoreInfo& main_score() const override;
  PartScores score(const Prediction& prediction, Ranks ranks) const override;
  std::vector<GroupScores> group_scores(const Prediction& prediction) const override;
  std::vector<ReliabilityBin> reliability(const Prediction& prediction) const override;

 private:
  std::vector<double> labels_of(std::span<const int32_t> rows) const;  // [rows, labels]

  int64_t num_labels_;
  std::vector<double> value_;            // [rows, labels]
  std::vector<double> positive_weight_;  // [labels] of a label that is there; empty: all ones
};

// Numbers, standardised by the training rows. With the Gaussian loss the outputs are the means of
// all targets and then what their variances are made of.
class ValueTask : public Task {
 public:
  ValueTask(const Labels& labels, const TaskOptions& options, std::span<const int32_t> train);

  LabelKind kind() const override { return LabelKind::kValues; }
  int64_t num_outputs() const override { return (has_variance() ? 2 : 1) * num_targets(); }
  TargetRows target(std::span<const int32_t> rows) const override;
  // Of the Gaussian loss, what descends is the β-NLL (Seitzer et al. 2022): the gradient of each
  // entry times σ^2β, while its value stays the negative log-likelihood.
  at::Tensor row_loss(const at::Tensor& outputs, const TargetRows& target) const override;
  at::Tensor outputs_of(const Prediction& prediction) const override;
  at::Tensor right_outputs(const TargetRows& target) const override;
  // The scale s and the constant noise c of each target, in its unit: fit_noise().
  std::vector<double> calibration(const Prediction& prediction) const override;
  void calibrate(Prediction& prediction, std::span<const double> numbers) const override;
  void visit_calibration(StateVisitor& visitor, std::vector<double>& numbers) const override;
  std::unique_ptr<Expectation> expectation(Average average, Detail detail) const override;
  Prediction average(std::span<const Prediction> predictions) const override;
  std::span<const ScoreInfo> scores() const override;
  std::span<const ScoreInfo> training_scores() const override;
  const ScoreInfo& main_score() const override;
  PartScores score(const Prediction& prediction, Ranks ranks) const override;
  std::vector<GroupScores> group_scores(const Prediction& prediction) const override;
  std::vector<ReliabilityBin> reliability(const Prediction& prediction) const override;
  void visit_state(StateVisitor& visitor) override;

 private:
  int64_t num_targets() const { return static_cast<int64_t>(scale_.size()); }
  bool has_variance() const { return loss_ == RegressionLoss::kGaussian; }
  std::vector<double> targets_of(std::span<const int32_t> rows) const;  // [rows, targets]
  at::Tensor entry_loss(const at::Tensor& outputs, const at::Tensor& target) const;
  double entry_loss(const Prediction& prediction, size_t entry, double target) const;

  RegressionLoss loss_;
  double variance_weight_;
  std::vector<double> value_;       // [rows, targets]
  std::vector<TargetScale> scale_;  // [targets]
};

}  // namespace emgnn
