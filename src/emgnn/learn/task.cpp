// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/task.h>

#include <ATen/ATen.h>

#include <emgnn/base/error.h>
#include <emgnn/learn/tasks.h>

namespace emgnn {

void describe(OptionVisitor& visitor, TaskOptions& options, LabelKind kind) {
  if (kind == LabelKind::kValues || kind == LabelKind::kNone) {
    visitor.choice(
        "task.loss", options.loss, {"squared", "smooth-l1", "gaussian"},
        "values: loss of the target; gaussian is the negative log-likelihood of a normal "
        "distribution whose variance the network predicts too, for each row");
    visitor.flag("task.standardise", options.standardise,
                 "values: the loss is of the target less its mean, over its deviation, both of the "
                 "training rows; else of the target in its own unit");
  }
  const bool values = kind == LabelKind::kValues;
  if (kind == LabelKind::kNone || (values && options.loss == RegressionLoss::kGaussian)) {
    visitor.real("task.variance_weight", options.variance_weight, 0.0, 1.0,
                 "values, task.loss=gaussian: the gradient of each entry is weighted by its "
                 "predicted variance to this power; 0: the likelihood itself, 1: all errors count "
                 "alike for the mean");
  }
  if (!values) {
    visitor.choice("task.class_weights", options.weights, {"none", "balanced"},
                   "classes, labels: rows count alike, or in inverse proportion to how frequent "
                   "their class is");
  }
}

std::vector<GroupScores> Task::group_scores(const Prediction& /*prediction*/) const { return {}; }

std::vector<ReliabilityBin> Task::reliability(const Prediction& /*prediction*/) const { return {}; }

TargetRows joined(std::span<const TargetRows> parts) {
  std::vector<at::Tensor> cls, value, weight;
  for (const TargetRows& part : parts) {
    if (part.cls.defined()) cls.push_back(part.cls);
    if (part.value.defined()) value.push_back(part.value);
    if (part.weight.defined()) weight.push_back(part.weight);
  }
  TargetRows out;
  if (!cls.empty()) out.cls = at::cat(cls);
  if (!value.empty()) out.value = at::cat(value);
  if (weight.empty()) return out;
  // A part without weights knows all of its values.
  weight.clear();
  for (const TargetRows& part : parts)
    weight.push_back(part.weight.defined() ? part.weight : at::ones_like(part.value));
  out.weight = at::cat(weight);
  return out;
}

std::vector<double> Task::losses(const at::Tensor& outputs, const TargetRows& target) const {
  const at::Tensor each = row_loss(outputs, target).contiguous();
  const double* data = each.data_ptr<double>();
  const int64_t rows = each.size(1);
  std::vector<double> out;
  for (int64_t g = 0; g < each.size(0); ++g) {
    double sum = 0.0;
    for (int64_t i = 0; i < rows; ++i) sum += data[g * rows + i];
    out.push_back(sum / static_cast<double>(rows));
  }
  return out;
}

std::vector<double> Task::temperatures(const at::Tensor& outputs,
                                       const TargetRows& /*target*/) const {
  return std::vector<double>(static_cast<size_t>(outputs.size(0)), 1.0);
}

std::vector<double> Task::calibration(const Prediction& prediction) const {
  return temperatures(outputs_of(prediction), target(prediction.rows));
}

void Task::calibrate(Prediction& prediction, std::span<const double> numbers) const {
  temper(prediction, numbers.front());
}

void Task::visit_calibration(StateVisitor& visitor, std::vector<double>& numbers) const {
  const std::string name = "calibration/temperature";
  visitor.numbers(name, numbers);
  const bool fitted = numbers.size() == 1 && numbers.front() > 0.0;
  if (!fitted && !(numbers.empty() && visitor.training()))
    visitor.fail(name + " is not a temperature");
}

StopRule stop_rule(const StopOptions& options, const Task& task) {
  return parse_stop_rule(options.rule == "score" ? task.main_score().name : options.rule,
                         task.training_scores());
}

std::shared_ptr<Task> make_task(const Labels& labels, const TaskOptions& options,
                                std::span<const int32_t> train) {
  switch (labels.kind) {
    case LabelKind::kClasses:
      return std::make_shared<ClassTask>(labels, options, train);
    case LabelKind::kLabels:
      return std::make_shared<LabelTask>(labels, options, train);
    case LabelKind::kValues:
      return std::make_shared<ValueTask>(labels, options, train);
    case LabelKind::kNone:
      break;
  }
  throw UsageError("nothing to learn: the data has no labels");
}

}  // namespace emgnn
