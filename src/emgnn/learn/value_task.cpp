// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <emgnn/base/error.h>
#include <emgnn/learn/noise_fit.h>
#include <emgnn/learn/score_info.h>
#include <emgnn/learn/spread_scores.h>
#include <emgnn/learn/tasks.h>

namespace emgnn {

namespace {

// Of standardised targets: no prediction is surer than a hundredth of their deviation.
constexpr double kSmallestVariance = 1e-4;
// Where all errors of a calibration are 0, in the same unit.
constexpr double kSmallestNoise = 1e-12;

// The first outputs of each row are means, the others become variances: softplus(x) + 1e-4.
struct Normal {
  at::Tensor mean, variance;
};

Normal normal_of(const at::Tensor& outputs, int64_t num_targets) {
  return {outputs.narrow(2, 0, num_targets),
          at::softplus(outputs.narrow(2, num_targets, num_targets)) + kSmallestVariance};
}

// The output that softplus makes this variance of: log(e^v − 1) = v + log(1 − e^−v).
double output_of_variance(double variance) {
  const double v = std::max(variance - kSmallestVariance, kSmallestNoise);
  return v + std::log(-std::expm1(-v));
}

// E[z], the weighted variance by Welford's recurrence, stable in one pass over the graphs, and, of
// outputs that have one, E[σ²]: what graphs average is a mixture of normal distributions.
class ValueExpectation : public Expectation {
 public:
  ValueExpectation(std::vector<TargetScale> scale, bool has_variance)
      : scale_(std::move(scale)), has_variance_(has_variance) {}

  void add(const at::Tensor& outputs, double p, double /*temperature*/) override {
    const at::Tensor all = outputs.to(at::kDouble);
    const double each = p / static_cast<double>(all.size(0));
    if (!has_variance_) return add_means(all.contiguous(), each);
    const Normal normal = normal_of(all, static_cast<int64_t>(scale_.size()));
    add_means(normal.mean.contiguous(), each);
    const at::Tensor sum = normal.variance.sum(0).contiguous();
    noise_.resize(static_cast<size_t>(sum.numel()), 0.0);
    for (size_t i = 0; i < noise_.size(); ++i) noise_[i] += each * sum.data_ptr<double>()[i];
  }

  void next_network() override { finished_.push_back({mass_, mean_}); }

  void finish(Prediction& into) const override {
    into.width = static_cast<int64_t>(scale_.size());
    for (std::vector<double>* part :
         {&into.value, &into.graph_part, &into.network_part, &into.noise, &into.std})
      part->clear();
    const std::vector<double> between = variance_between();
    for (size_t i = 0; i < mean_.size(); ++i) {
      const TargetScale& scale = scale_[i % scale_.size()];
      into.value.push_back(scale.restore(mean_[i]));
      into.graph_part.push_back(scale.std * std::sqrt(std::max(0.0, square_[i])));
      if (!between.empty()) into.network_part.push_back(scale.std * std::sqrt(between[i]));
      if (!has_variance_) continue;
      into.noise.push_back(scale.std * std::sqrt(noise_[i]));
      into.std.push_back(std::hypot(into.graph_part[i], into.noise[i]));
    }
  }

 private:
  void add_means(const at::Tensor& z, double each) {
    const auto size = static_cast<size_t>(z.numel() / z.size(0));
    const double* data = z.data_ptr<double>();
    if (mean_.empty()) {
      mean_.assign(size, 0.0);
      centre_.assign(size, 0.0);
      square_.assign(size, 0.0);
    }
    for (int64_t r = 0; r < z.size(0); ++r) {
      mass_ += each;
      for (size_t i = 0; i < size && mass_ > 0.0; ++i) {
        const double value = data[static_cast<size_t>(r) * size + i];
        const double before = value - centre_[i];
        mean_[i] += each * value;
        centre_[i] += each / mass_ * before;
        square_[i] += each * before * (value - centre_[i]);
      }
    }
  }

  // Σ_k w_k (m_k − m)² of each entry, m_k the mean of network k; empty: there is one network.
  std::vector<double> variance_between() const {
    if (finished_.empty()) return {};
    std::vector<double> out(mean_.size(), 0.0);
    Sums before{0.0, std::vector<double>(mean_.size(), 0.0)};
    for (size_t k = 0; k <= finished_.size(); ++k) {
      const Sums upto = k < finished_.size() ? finished_[k] : Sums{mass_, mean_};
      const double weight = upto.mass - before.mass;
      for (size_t i = 0; i < out.size() && weight > 0.0; ++i) {
        const double off = (upto.mean[i] - before.mean[i]) / weight - mean_[i];
        out[i] += weight * off * off;
      }
      before = upto;
    }
    return out;
  }

  struct Sums {
    double mass = 0.0;
    std::vector<double> mean;
  };

  std::vector<TargetScale> scale_;
  bool has_variance_;
  std::vector<Sums> finished_;  // Σ p and Σ p z at the end of each network but the last
  double mass_ = 0.0;           // Σ p so far
  std::vector<double> mean_, centre_,
      square_;                 // [rows, targets]: Σ p z, the mean so far, Σ p (z − mean)²
  std::vector<double> noise_;  // Σ p σ²
};

// √(mean over predictions of what `variance` says of entry i)
template <class Variance>
std::vector<double> root_mean(std::span<const Prediction> predictions, size_t size,
                              const Variance& variance) {
  std::vector<double> out;
  for (size_t i = 0; i < size; ++i) {
    double sum = 0.0;
    for (const Prediction& p : predictions) sum += variance(p, i);
    out.push_back(std::sqrt(sum / static_cast<double>(predictions.size())));
  }
  return out;
}

}  // namespace

ValueTask::ValueTask(const Labels& labels, const TaskOptions& options,
                     std::span<const int32_t> train)
    : loss_(options.loss),
      variance_weight_(options.variance_weight),
      value_(labels.value),
      scale_(labels.names.size()) {
  for (size_t t = 0; t < scale_.size(); ++t) {
    std::vector<double> column;
    for (int32_t row : train)
      column.push_back(value_[static_cast<size_t>(row) * scale_.size() + t]);
    if (options.standardise && !column.empty()) scale_[t] = TargetScale::fit(column);
  }
}

TargetRows ValueTask::target(std::span<const int32_t> rows) const {
  const auto n = static_cast<int64_t>(rows.size()), targets = num_targets();
  TargetRows out{.value = at::zeros({n, targets}, at::kDouble)};
  at::Tensor known = at::ones({n, targets}, at::kDouble);
  bool all_known = true;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t t = 0; t < targets; ++t) {
      const double y = value_[static_cast<size_t>(rows[static_cast<size_t>(i)] * targets + t)];
      if (std::isnan(y)) {
        known.data_ptr<double>()[i * targets + t] = 0.0;
        all_known = false;
      } else {
        out.value.data_ptr<double>()[i * targets + t] =
            scale_[static_cast<size_t>(t)].standardise(y);
      }
    }
  }
  if (!all_known) out.weight = known;
  return out;
}

// [graphs, rows, targets]; both standardised.
at::Tensor ValueTask::entry_loss(const at::Tensor& outputs, const at::Tensor& target) const {
  if (loss_ == RegressionLoss::kSquared) return (outputs - target).square();
  if (loss_ == RegressionLoss::kSmoothL1)
    return at::smooth_l1_loss(outputs, target.expand_as(outputs), at::Reduction::None);
  const Normal normal = normal_of(outputs, num_targets());
  const at::Tensor nll = 0.5 * ((normal.variance * (2.0 * std::numbers::pi)).log() +
                                (normal.mean - target).square() / normal.variance);
  if (variance_weight_ == 0.0 || !nll.requires_grad()) return nll;
  const at::Tensor weighted = nll * normal.variance.detach().pow(variance_weight_);
  return nll.detach() + (weighted - weighted.detach());
}

at::Tensor ValueTask::row_loss(const at::Tensor& outputs, const TargetRows& target) const {
  const at::Tensor each = entry_loss(outputs.to(at::kDouble), target.value);
  if (num_targets() == 1 && !target.weight.defined()) return each.squeeze(2);
  if (!target.weight.defined()) return each.mean(2);
  return (each * target.weight).sum(2) / target.weight.sum(1).clamp_min(1.0);
}

at::Tensor ValueTask::outputs_of(const Prediction& prediction) const {
  std::vector<double> z, of_variance;
  for (size_t i = 0; i < prediction.value.size(); ++i) {
    const TargetScale& scale = scale_[i % scale_.size()];
    z.push_back(scale.standardise(prediction.value[i]));
    if (!has_variance()) continue;
    const double std = prediction.std[i] / scale.std;
    of_variance.push_back(output_of_variance(std * std));
  }
  const at::Tensor mean = at::tensor(z).view({1, -1, num_targets()});
  if (!has_variance()) return mean;
  return at::cat({mean, at::tensor(of_variance).view({1, -1, num_targets()})}, 2);
}

// A variance of 1/2 makes the Gaussian loss the squared one, but for a constant.
at::Tensor ValueTask::right_outputs(const TargetRows& target) const {
  if (target.weight.defined()) {
    throw UsageError(
        "em.evidence=last-layer needs all targets of the rows to train on; use cross-fit");
  }
  if (!has_variance()) return target.value;
  return at::cat({target.value, at::full_like(target.value, output_of_variance(0.5))}, 1);
}

std::vector<double> ValueTask::calibration(const Prediction& prediction) const {
  std::vector<double> out;
  for (size_t t = 0; t < scale_.size(); ++t) {
    std::vector<double> error, variance;
    for (size_t i = 0; i < prediction.rows.size(); ++i) {
      const size_t at = i * scale_.size() + t;
      const double y = value_[static_cast<size_t>(prediction.rows[i]) * scale_.size() + t];
      if (std::isnan(y)) continue;
      const double std = prediction.std.empty() ? prediction.graph_part[at] : prediction.std[at];
      error.push_back(y - prediction.value[at]);
      variance.push_back(std * std);
    }
    const double unit = scale_[t].std;
    // Of a target that no such row has, all that is known is how it varies.
    const NoiseFit fit = error.empty() ? NoiseFit{.scale = 1.0, .noise = unit}
                                       : fit_noise(error, variance, kSmallestNoise * unit * unit);
    out.push_back(fit.scale);
    out.push_back(fit.noise);
  }
  return out;
}

void ValueTask::calibrate(Prediction& prediction, std::span<const double> numbers) const {
  const size_t size = prediction.value.size();
  if (prediction.std.empty()) {
    prediction.noise.assign(size, 0.0);
    prediction.std = prediction.graph_part;
  }
  for (size_t i = 0; i < size; ++i) {
    const size_t t = i % scale_.size();
    for (std::vector<double>* part : {&prediction.noise, &prediction.std})
      (*part)[i] = std::hypot(numbers[2 * t] * (*part)[i], numbers[2 * t + 1]);
    prediction.graph_part[i] *= numbers[2 * t];
    if (!prediction.network_part.empty()) prediction.network_part[i] *= numbers[2 * t];
  }
}

void ValueTask::visit_calibration(StateVisitor& visitor, std::vector<double>& numbers) const {
  const std::string name = "calibration/scale_and_noise";
  visitor.numbers(name, numbers);
  if (numbers.size() != 2 * scale_.size() && !(numbers.empty() && visitor.training()))
    visitor.fail(name + " is of another number of targets");
}

std::unique_ptr<Expectation> ValueTask::expectation(Average /*average*/, Detail /*detail*/) const {
  return std::make_unique<ValueExpectation>(scale_, has_variance());
}

// Var = E[Var] + Var[E]
Prediction ValueTask::average(std::span<const Prediction> predictions) const {
  Prediction out = mean_of(predictions);
  const auto off = [&](const Prediction& p, size_t i) {
    const double distance = p.value[i] - out.value[i];
    return distance * distance;
  };
  const auto square = [](double v) { return v * v; };
  out.graph_part = root_mean(predictions, out.value.size(), [&](const Prediction& p, size_t i) {
    return square(p.graph_part[i]) + off(p, i);
  });
  out.network_part = root_mean(predictions, out.value.size(), [&](const Prediction& p, size_t i) {
    return (p.network_part.empty() ? 0.0 : square(p.network_part[i])) + off(p, i);
  });
  out.noise = root_mean(predictions, out.noise.size(),
                        [&](const Prediction& p, size_t i) { return square(p.noise[i]); });
  out.std = root_mean(predictions, out.std.size(),
                      [&](const Prediction& p, size_t i) { return square(p.std[i]) + off(p, i); });
  return out;
}

std::span<const ScoreInfo> ValueTask::scores() const { return score_info(LabelKind::kValues); }

// The first of those of the spread, nll, is the one to choose weights by.
std::span<const ScoreInfo> ValueTask::training_scores() const {
  return scores().first(value_score_info().size() + (has_variance() ? 1 : 0));
}

const ScoreInfo& ValueTask::main_score() const { return main_score_info(LabelKind::kValues); }

// Of one known entry, the same as in training.
double ValueTask::entry_loss(const Prediction& prediction, size_t entry, double target) const {
  const TargetScale& scale = scale_[entry % scale_.size()];
  const double e = std::abs(scale.standardise(prediction.value[entry]) - scale.standardise(target));
  switch (loss_) {
    case RegressionLoss::kSquared:
      return e * e;
    case RegressionLoss::kSmoothL1:
      return e < 1.0 ? 0.5 * e * e : e - 0.5;
    case RegressionLoss::kGaussian:
      break;
  }
  const double std = prediction.std[entry] / scale.std;
  return normal_nll(e, std * std);
}

std::vector<double> ValueTask::targets_of(std::span<const int32_t> rows) const {
  std::vector<double> out;
  for (int32_t row : rows) {
    const auto begin = value_.begin() + row * num_targets();
    out.insert(out.end(), begin, begin + num_targets());
  }
  return out;
}

PartScores ValueTask::score(const Prediction& prediction, Ranks ranks) const {
  const size_t targets = scale_.size();
  const std::vector<double> target = targets_of(prediction.rows);
  PartScores out;
  for (size_t i = 0; i < prediction.rows.size(); ++i) {
    double sum = 0.0, known = 0.0;
    for (size_t at = i * targets; at < (i + 1) * targets; ++at) {
      if (std::isnan(target[at])) continue;
      sum += entry_loss(prediction, at, target[at]);
      known += 1.0;
    }
    out.loss += known > 0.0 ? sum / known : 0.0;
  }
  out.loss /= static_cast<double>(prediction.rows.size());
  out.scores = value_scores(prediction.value, target, num_targets());
  if (!prediction.std.empty())
    add_spread_scores(out.scores,
                      {.mean = prediction.value,
                       .std = prediction.std,
                       .target = target,
                       .num_targets = num_targets()},
                      ranks);
  return out;
}

std::vector<GroupScores> ValueTask::group_scores(const Prediction& prediction) const {
  return value_group_scores(prediction.value, targets_of(prediction.rows), num_targets());
}

std::vector<ReliabilityBin> ValueTask::reliability(const Prediction& prediction) const {
  if (prediction.std.empty()) return {};
  return value_reliability({.mean = prediction.value,
                            .std = prediction.std,
                            .target = targets_of(prediction.rows),
                            .num_targets = num_targets()});
}

void ValueTask::visit_state(StateVisitor& visitor) {
  std::vector<double> numbers;
  for (const TargetScale& scale : scale_) {
    numbers.push_back(scale.mean);
    numbers.push_back(scale.std);
  }
  visitor.numbers("target/mean_and_std", numbers);
  if (numbers.size() != 2 * scale_.size())
    visitor.fail("target/mean_and_std is of another number of targets");
  for (size_t t = 0; t < scale_.size(); ++t) scale_[t] = {numbers[2 * t], numbers[2 * t + 1]};
}

}  // namespace emgnn
