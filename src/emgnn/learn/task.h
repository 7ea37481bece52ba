// SPDX-License-Identifier: Apache-2.0
// What is to be learned of each row: one class, several labels, or values. A task owns its loss,
// how predictions are averaged over graphs, and its scores. Nobody else asks which task it is.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/base/options.h>
#include <emgnn/data/labels.h>
#include <emgnn/learn/average.h>
#include <emgnn/learn/group_scores.h>
#include <emgnn/learn/options.h>
#include <emgnn/learn/prediction.h>
#include <emgnn/learn/record.h>
#include <emgnn/learn/state.h>
#include <emgnn/learn/stopping.h>

namespace emgnn {

enum class RegressionLoss { kSquared, kSmoothL1, kGaussian };
enum class ClassWeights { kNone, kBalanced };

// Each task reads what it has.
struct TaskOptions {
  RegressionLoss loss = RegressionLoss::kSquared;
  bool standardise = true;
  double variance_weight = 0.0;  // β
  ClassWeights weights = ClassWeights::kNone;
};
void describe(OptionVisitor& visitor, TaskOptions& options, LabelKind kind);

// What is known of some rows, ready for the loss.
struct TargetRows {
  at::Tensor cls;     // classes: int64 [rows]
  at::Tensor value;   // labels, values: float64 [rows, outputs], 0 where not known
  at::Tensor weight;  // float64 [rows] or [rows, outputs], 0 where not known; undefined: all ones
};

// Of rows one after the other.
TargetRows joined(std::span<const TargetRows> parts);

// What is computed of an average: with kValue nothing but the answer itself.
enum class Detail { kValue, kAll };

// The mean over graphs of predictions for some rows.
class Expectation {
 public:
  virtual ~Expectation() = default;
  // outputs [replicates, rows, width] of a graph of probability p, at a temperature.
  virtual void add(const at::Tensor& outputs, double p, double temperature = 1.0) = 0;
  // What is added from now on is said by another network.
  virtual void next_network() {}
  virtual void finish(Prediction& into) const = 0;  // all but its rows
};

class Task {
 public:
  virtual ~Task() = default;

  virtual LabelKind kind() const = 0;
  // Of the network; a prediction may be narrower.
  virtual int64_t num_outputs() const = 0;

  virtual TargetRows target(std::span<const int32_t> rows) const = 0;
  // outputs [graphs, rows, width] -> float64 [graphs, rows], differentiable.
  virtual at::Tensor row_loss(const at::Tensor& outputs, const TargetRows& target) const = 0;
  // The mean loss over the rows of each graph, outputs [graphs, rows, width], without gradient.
  virtual std::vector<double> losses(const at::Tensor& outputs, const TargetRows& target) const;

  // The temperature T of each graph in [0.1, 3] at which outputs / T have the smallest mean loss;
  // 1 where outputs are values.
  virtual std::vector<double> temperatures(const at::Tensor& outputs,
                                           const TargetRows& target) const;
  // Outputs [1, rows, width] that would predict this.
  virtual at::Tensor outputs_of(const Prediction& prediction) const = 0;
  // What a head that is fitted by least squares is to say: float64 [rows, width]. UsageError where
  // a part of it is not known.
  virtual at::Tensor right_outputs(const TargetRows& target) const = 0;
  // What a temperature makes of a prediction.
  virtual void temper(Prediction& /*prediction*/, double /*temperature*/) const {}

  // Numbers that make predictions as sure as they are right, fitted to one of labelled rows that
  // were not trained on; what they make of a prediction; and their place in a model's state, where
  // they may be missing as long as training is not done. By default one temperature.
  virtual std::vector<double> calibration(const Prediction& prediction) const;
  virtual void calibrate(Prediction& prediction, std::span<const double> numbers) const;
  virtual void visit_calibration(StateVisitor& visitor, std::vector<double>& numbers) const;

  virtual std::unique_ptr<Expectation> expectation(Average average,
                                                   Detail detail = Detail::kAll) const = 0;
  // The mean of several predictions of the same rows, each as likely as the others. Its graph_part
  // is within and between them: I(answer; graph, k) = E[I(answer; graph | k)] + I(answer; k), or
  // Var = E[Var] + Var[E]; what is between them is network_part.
  virtual Prediction average(std::span<const Prediction> predictions) const = 0;
  // The expected share of the answers that would be others under a single graph of those averaged;
  // none where answers are values.
  virtual std::optional<double> changed_by_graph(const Prediction& /*prediction*/) const {
    return std::nullopt;
  }

  // All that there may be, and those that predictions have during training: stop.rule names one.
  virtual std::span<const ScoreInfo> scores() const = 0;
  virtual std::span<const ScoreInfo> training_scores() const { return scores(); }
  virtual const ScoreInfo& main_score() const = 0;
  // All its rows have a label. Scores of rankings cost more than the others together.
  virtual PartScores score(const Prediction& prediction, Ranks ranks) const = 0;
  // Of each class, label or target by itself.
  virtual std::vector<GroupScores> group_scores(const Prediction& prediction) const;
  // How often answers of a certainty are right; empty where predictions do not say how sure they are.
  virtual std::vector<ReliabilityBin> reliability(const Prediction& prediction) const;

  virtual void visit_state(StateVisitor& /*visitor*/) {}
};

// stop.rule for a task; "score" stands for its main score.
StopRule stop_rule(const StopOptions& options, const Task& task);

// `labels` and the training rows; with no training rows a task that only predicts, whose state is
// read from a model. UsageError without labels.
std::shared_ptr<Task> make_task(const Labels& labels, const TaskOptions& options,
                                std::span<const int32_t> train);

}  // namespace emgnn
