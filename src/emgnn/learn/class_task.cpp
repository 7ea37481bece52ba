// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/learn/calibration.h>
#include <emgnn/learn/probability_expectation.h>
#include <emgnn/learn/score_info.h>
#include <emgnn/learn/tasks.h>
#include <emgnn/learn/temperature.h>

namespace emgnn {

namespace {

constexpr ProbabilityExpectation::Link kSoftmax = {
    [](const at::Tensor& logits) { return at::softmax(logits, 1); },
    [](const at::Tensor& mean_logits) { return at::log_softmax(mean_logits, 1); },
    [](const at::Tensor& mean_probability) { return mean_probability.log(); },
    [](const at::Tensor& p) { return at::xlogy(p, p).sum(1).neg(); },
    [](const at::Tensor& p) { return at::zeros_like(p).scatter_(1, p.argmax(1, true), 1.0); }};

// n / (C n_c) for the C classes that occur: the mean over the training rows is 1.
std::vector<double> balanced_weights(std::span<const int32_t> cls, std::span<const int32_t> rows,
                                     int64_t num_classes) {
  std::vector<double> count(static_cast<size_t>(num_classes));
  for (int32_t row : rows) count[static_cast<size_t>(cls[static_cast<size_t>(row)])] += 1.0;
  const auto occurring = static_cast<double>(
      std::count_if(count.begin(), count.end(), [](double n) { return n > 0; }));
  std::vector<double> weight;
  for (double n : count)
    weight.push_back(n > 0.0 ? static_cast<double>(rows.size()) / (occurring * n) : 1.0);
  return weight;
}

// −log softmax(outputs)[class], times the weight of its row, in float64: outputs [graphs, rows, width]
// -> [graphs, rows]. A weight of size zero: all ones.
struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& outputs,
                            const at::Tensor& cls, const at::Tensor& weight) {
    const at::Tensor log_prob = at::log_softmax(outputs.to(at::kDouble), 2).contiguous();
    ctx->save_for_backward({log_prob, cls, weight});
    ctx->saved_data["type"] = outputs.scalar_type();
    const int64_t graphs = outputs.size(0), rows = outputs.size(1), width = outputs.size(2);
    at::Tensor loss = at::empty({graphs, rows}, log_prob.options());
    const double* from = log_prob.data_ptr<double>();
    double* to = loss.data_ptr<double>();
    for (int64_t i = 0; i < graphs * rows; ++i, from += width)
      *to++ = -from[cls.data_ptr<int64_t>()[i % rows]] * weight_of(weight, i % rows);
    return loss;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const torch::autograd::variable_list saved = ctx->get_saved_variables();
    const at::Tensor &log_prob = saved[0], &cls = saved[1], &weight = saved[2];
    const at::Tensor grad_out = grads[0].contiguous();
    const int64_t rows = log_prob.size(1), width = log_prob.size(2);
    at::Tensor grad = at::zeros_like(log_prob);
    double* to = grad.data_ptr<double>();
    for (int64_t i = 0; i < grad_out.numel(); ++i, to += width)
      to[cls.data_ptr<int64_t>()[i % rows]] =
          -(grad_out.data_ptr<double>()[i] * weight_of(weight, i % rows));
    const auto type = ctx->saved_data["type"].toScalarType();
    return {at::_log_softmax_backward_data(grad, log_prob, 2, at::kDouble).to(type), at::Tensor(),
            at::Tensor()};
  }

  static double weight_of(const at::Tensor& weight, int64_t row) {
    return weight.numel() > 0 ? weight.data_ptr<double>()[row] : 1.0;
  }
};

}  // namespace

ClassTask::ClassTask(const Labels& labels, const TaskOptions& options,
                     std::span<const int32_t> train)
    : num_classes_(static_cast<int64_t>(labels.names.size())), cls_(labels.cls) {
  if (options.weights == ClassWeights::kBalanced)
    class_weight_ = balanced_weights(cls_, train, num_classes_);
}

TargetRows ClassTask::target(std::span<const int32_t> rows) const {
  TargetRows out;
  std::vector<int64_t> cls;
  std::vector<double> weight;
  for (int32_t row : rows) {
    cls.push_back(cls_[static_cast<size_t>(row)]);
    if (!class_weight_.empty()) weight.push_back(class_weight_[static_cast<size_t>(cls.back())]);
  }
  out.cls = at::tensor(cls, at::kLong);
  if (!class_weight_.empty()) out.weight = at::tensor(weight, at::kDouble);
  return out;
}

at::Tensor ClassTask::row_loss(const at::Tensor& outputs, const TargetRows& target) const {
  EMGNN_DCHECK(outputs.dim() == 3 && outputs.size(1) == target.cls.size(0));
  const at::Tensor weight = target.weight.defined() ? target.weight : at::empty({0}, at::kDouble);
  return CrossEntropy::apply(outputs, target.cls.contiguous(), weight.contiguous());
}

std::vector<double> ClassTask::losses(const at::Tensor& outputs, const TargetRows& target) const {
  const at::Tensor mean = row_loss(outputs, target).mean(1).contiguous();
  return {mean.data_ptr<double>(), mean.data_ptr<double>() + mean.numel()};
}

// With q = softmax(βz): the loss of a row is log Σ exp(βz) − βz_y, its derivatives E_q[z] − z_y and
// Var_q(z).
std::vector<double> ClassTask::temperatures(const at::Tensor& outputs,
                                            const TargetRows& target) const {
  const at::Tensor index = target.cls.view({1, -1, 1});
  const auto mean = [&](const at::Tensor& each) {
    return (target.weight.defined() ? each * target.weight : each).mean(1);
  };
  return best_temperatures(outputs, [&](const at::Tensor& z, const at::Tensor& beta) -> LossSlope {
    const at::Tensor known = z.gather(2, index.expand({z.size(0), -1, 1})).squeeze(2);
    const at::Tensor q = at::softmax(z * beta, 2);
    const at::Tensor expected = (q * z).sum(2);
    return {mean(expected - known), mean((q * z.square()).sum(2) - expected.square())};
  });
}

at::Tensor ClassTask::outputs_of(const Prediction& prediction) const {
  constexpr double kSmallest = -700.0;  // the logarithm of 0 would spoil the whole mean
  return at::tensor(prediction.value).view({1, -1, num_classes_}).clamp_min(kSmallest);
}

at::Tensor ClassTask::right_outputs(const TargetRows& target) const {
  return at::one_hot(target.cls, num_classes_).to(at::kDouble) * kRightLogit;
}

void ClassTask::temper(Prediction& prediction, double temperature) const {
  apply_temperature(prediction.value, num_classes_, temperature);
}

std::unique_ptr<Expectation> ClassTask::expectation(Average average, Detail detail) const {
  return std::make_unique<ProbabilityExpectation>(average, detail, kSoftmax);
}

// Of the probabilities. Their logarithm comes from the largest, so that none is lost to underflow.
Prediction ClassTask::average(std::span<const Prediction> predictions) const {
  const auto count = static_cast<double>(predictions.size());
  const auto width = static_cast<size_t>(num_classes_);
  Prediction out = mean_of(predictions);
  for (size_t i = 0; i < out.value.size(); ++i) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (const Prediction& p : predictions) top = std::max(top, p.value[i]);
    for (const Prediction& p : predictions)
      sum += p.value[i] == top ? 1.0 : std::exp(p.value[i] - top);
    out.value[i] = top + std::log(sum / count);
  }
  const auto entropy_of = [&](const Prediction& p, size_t row) {
    return entropy(std::span(p.value).subspan(row * width, width));
  };
  out.network_part.resize(out.graph_part.size(), 0.0);
  for (size_t row = 0; row < out.graph_part.size(); ++row) {
    double within = 0.0;
    for (const Prediction& p : predictions) within += entropy_of(p, row) / count;
    const double between = std::max(0.0, entropy_of(out, row) - within);
    out.graph_part[row] += between;
    out.network_part[row] += between;
  }
  return out;
}

std::optional<double> ClassTask::changed_by_graph(const Prediction& prediction) const {
  const auto width = static_cast<size_t>(num_classes_);
  double unchanged = 0.0;
  for (size_t row = 0; row < prediction.rows.size(); ++row) {
    const auto begin = prediction.value.begin() + static_cast<ptrdiff_t>(row * width);
    const auto answer = std::max_element(begin, begin + num_classes_) - prediction.value.begin();
    unchanged += prediction.votes[static_cast<size_t>(answer)];
  }
  return std::max(0.0, 1.0 - unchanged / static_cast<double>(prediction.rows.size()));
}

const ScoreInfo& ClassTask::main_score() const { return main_score_info(LabelKind::kClasses); }

std::vector<int32_t> ClassTask::cls_of(std::span<const int32_t> rows) const {
  std::vector<int32_t> cls;
  for (int32_t row : rows) cls.push_back(cls_[static_cast<size_t>(row)]);
  return cls;
}

PartScores ClassTask::score(const Prediction& prediction, Ranks ranks) const {
  PartScores out{.scores =
                     class_scores(prediction.value, cls_of(prediction.rows), num_classes_, ranks)};
  out.loss = out.scores.at("nll");
  return out;
}

std::vector<GroupScores> ClassTask::group_scores(const Prediction& prediction) const {
  return class_group_scores(prediction.value, cls_of(prediction.rows), num_classes_);
}

std::vector<ReliabilityBin> ClassTask::reliability(const Prediction& prediction) const {
  return class_reliability(prediction.value, cls_of(prediction.rows), num_classes_);
}

}  // namespace emgnn
