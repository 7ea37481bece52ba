// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/learn/probability_expectation.h>
#include <emgnn/learn/score_info.h>
#include <emgnn/learn/tasks.h>
#include <emgnn/learn/temperature.h>

namespace emgnn {

namespace {

constexpr ProbabilityExpectation::Link kSigmoid = {
    [](const at::Tensor& logits) { return at::sigmoid(logits); },
    [](const at::Tensor& mean_logits) { return at::sigmoid(mean_logits); },
    [](const at::Tensor& mean_probability) { return mean_probability; },
    [](const at::Tensor& p) {
      const at::Tensor q = 1.0 - p;
      return (at::xlogy(p, p) + at::xlogy(q, q)).neg();
    },
    [](const at::Tensor& p) { return p.gt(0.5).to(at::kDouble); }};

// Labels of each row, [rows]; 1 where there are none.
at::Tensor num_known(const TargetRows& target) {
  return target.weight.gt(0.0).to(at::kDouble).sum(1).clamp_min(1.0);
}

}  // namespace

LabelTask::LabelTask(const Labels& labels, const TaskOptions& options,
                     std::span<const int32_t> train)
    : num_labels_(static_cast<int64_t>(labels.names.size())), value_(labels.value) {
  if (options.weights == ClassWeights::kNone) return;
  // Of a label that is there: how many rows lack it for each that has it.
  for (int64_t c = 0; c < num_labels_; ++c) {
    double there = 0.0, known = 0.0;
    for (int32_t row : train) {
      const double y = value_[static_cast<size_t>(row * num_labels_ + c)];
      if (std::isnan(y)) continue;
      known += 1.0;
      there += y;
    }
    positive_weight_.push_back(there > 0.0 && there < known ? (known - there) / there : 1.0);
  }
}

TargetRows LabelTask::target(std::span<const int32_t> rows) const {
  const auto n = static_cast<int64_t>(rows.size());
  TargetRows out{.value = at::zeros({n, num_labels_}, at::kDouble),
                 .weight = at::zeros({n, num_labels_}, at::kDouble)};
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < num_labels_; ++c) {
      const double y = value_[static_cast<size_t>(rows[static_cast<size_t>(i)] * num_labels_ + c)];
      if (std::isnan(y)) continue;
      const bool weighted = y == 1.0 && !positive_weight_.empty();
      out.value.data_ptr<double>()[i * num_labels_ + c] = y;
      out.weight.data_ptr<double>()[i * num_labels_ + c] =
          weighted ? positive_weight_[static_cast<size_t>(c)] : 1.0;
    }
  }
  return out;
}

// The mean over the known labels of w (softplus(z) − y z).
at::Tensor LabelTask::row_loss(const at::Tensor& outputs, const TargetRows& target) const {
  const at::Tensor z = outputs.to(at::kDouble);
  const at::Tensor each = (at::softplus(z) - target.value * z) * target.weight;
  return each.sum(2) / num_known(target);
}

// The derivatives in β of w (softplus(βz) − y βz) are w (σ(βz) − y) z and w σ (1 − σ) z².
std::vector<double> LabelTask::temperatures(const at::Tensor& outputs,
                                            const TargetRows& target) const {
  const at::Tensor weight = target.weight / num_known(target).unsqueeze(1);
  const auto sum = [&](const at::Tensor& each) { return (each * weight).sum({1, 2}); };
  return best_temperatures(outputs, [&](const at::Tensor& z, const at::Tensor& beta) -> LossSlope {
    const at::Tensor q = at::sigmoid(z * beta);
    return {sum((q - target.value) * z), sum(q * (1.0 - q) * z.square())};
  });
}

at::Tensor LabelTask::outputs_of(const Prediction& prediction) const {
  constexpr double kSmallest = 1e-15;  // keeps the logit of a certain answer finite
  return at::logit(at::tensor(prediction.value).view({1, -1, num_labels_}), kSmallest);
}

at::Tensor LabelTask::right_outputs(const TargetRows& target) const {
  if (target.weight.eq(0.0).any().item<bool>()) {
    throw UsageError(
        "em.evidence=last-layer needs all labels of the rows to train on; use cross-fit");
  }
  return (target.value * 2.0 - 1.0) * kRightLogit;
}

void LabelTask::temper(Prediction& prediction, double temperature) const {
  if (temperature == 1.0) return;
  // σ(logit(p) / T)
  for (double& p : prediction.value) {
    const double yes = std::pow(p, 1.0 / temperature), no = std::pow(1.0 - p, 1.0 / temperature);
    p = yes / (yes + no);
  }
}

std::unique_ptr<Expectation> LabelTask::expectation(Average average, Detail detail) const {
  return std::make_unique<ProbabilityExpectation>(average, detail, kSigmoid);
}

Prediction LabelTask::average(std::span<const Prediction> predictions) const {
  Prediction out = mean_of(predictions);
  out.network_part.resize(out.graph_part.size(), 0.0);
  for (size_t i = 0; i < out.graph_part.size(); ++i) {
    double within = 0.0;
    for (const Prediction& p : predictions) within += label_entropy(p.value[i]);
    within /= static_cast<double>(predictions.size());
    const double between = std::max(0.0, label_entropy(out.value[i]) - within);
    out.graph_part[i] += between;
    out.network_part[i] += between;
  }
  return out;
}

std::optional<double> LabelTask::changed_by_graph(const Prediction& prediction) const {
  double changed = 0.0;
  for (size_t i = 0; i < prediction.value.size(); ++i)
    changed += std::abs((prediction.value[i] > 0.5 ? 1.0 : 0.0) - prediction.votes[i]);
  return changed / static_cast<double>(prediction.value.size());
}

const ScoreInfo& LabelTask::main_score() const { return main_score_info(LabelKind::kLabels); }

std::vector<double> LabelTask::labels_of(std::span<const int32_t> rows) const {
  std::vector<double> label;
  for (int32_t row : rows) {
    const auto begin = value_.begin() + row * num_labels_;
    label.insert(label.end(), begin, begin + num_labels_);
  }
  return label;
}

PartScores LabelTask::score(const Prediction& prediction, Ranks ranks) const {
  PartScores out{
      .scores = label_scores(prediction.value, labels_of(prediction.rows), num_labels_, ranks)};
  out.loss = out.scores.at("nll");
  return out;
}

std::vector<GroupScores> LabelTask::group_scores(const Prediction& prediction) const {
  return label_group_scores(prediction.value, labels_of(prediction.rows), num_labels_);
}

std::vector<ReliabilityBin> LabelTask::reliability(const Prediction& prediction) const {
  return label_reliability(prediction.value, labels_of(prediction.rows));
}

}  // namespace emgnn
