// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/learn/tasks.h>

namespace emgnn {

namespace {

// e² or smooth L1 (e²/2 below 1, |e| − 1/2 above).
double loss_of(RegressionLoss loss, double prediction, double target) {
  const double e = std::abs(prediction - target);
  if (loss == RegressionLoss::kSquared) return e * e;
  return e < 1.0 ? 0.5 * e * e : e - 0.5;
}

// E[z], and the weighted variance by Welford's recurrence: stable in one pass over the graphs.
class ValueExpectation : public Expectation {
 public:
  explicit ValueExpectation(std::vector<TargetScale> scale) : scale_(std::move(scale)) {}

  void add(const at::Tensor& outputs, double p, double /*temperature*/) override {
    const at::Tensor z = outputs.to(at::kDouble).contiguous();
    const double each = p / static_cast<double>(z.size(0));
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

  void finish(Prediction& into) const override {
    into.value.clear();
    into.graph_part.clear();
    for (size_t i = 0; i < mean_.size(); ++i) {
      const TargetScale& scale = scale_[i % scale_.size()];
      into.value.push_back(scale.restore(mean_[i]));
      into.graph_part.push_back(scale.std * std::sqrt(std::max(0.0, square_[i])));
    }
  }

 private:
  std::vector<TargetScale> scale_;
  double mass_ = 0.0;  // Σ p so far
  std::vector<double> mean_, centre_,
      square_;  // [rows, targets]: Σ p z, the mean so far, Σ p (z − mean)²
};

}  // namespace

ValueTask::ValueTask(const Labels& labels, const TaskOptions& options,
                     std::span<const int32_t> train)
    : loss_(options.loss), value_(labels.value), scale_(labels.names.size()) {
  for (size_t t = 0; t < scale_.size(); ++t) {
    std::vector<double> column;
    for (int32_t row : train)
      column.push_back(value_[static_cast<size_t>(row) * scale_.size() + t]);
    if (options.standardise && !column.empty()) scale_[t] = TargetScale::fit(column);
  }
}

TargetRows ValueTask::target(std::span<const int32_t> rows) const {
  const auto n = static_cast<int64_t>(rows.size()), targets = num_outputs();
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

at::Tensor ValueTask::row_loss(const at::Tensor& outputs, const TargetRows& target) const {
  const at::Tensor p = outputs.to(at::kDouble);
  const at::Tensor each =
      loss_ == RegressionLoss::kSquared
          ? (p - target.value).square()
          : at::smooth_l1_loss(p, target.value.expand_as(p), at::Reduction::None);
  if (num_outputs() == 1 && !target.weight.defined()) return each.squeeze(2);
  if (!target.weight.defined()) return each.mean(2);
  return (each * target.weight).sum(2) / target.weight.sum(1).clamp_min(1.0);
}

at::Tensor ValueTask::outputs_of(const Prediction& prediction) const {
  std::vector<double> z;
  for (size_t i = 0; i < prediction.value.size(); ++i)
    z.push_back(scale_[i % scale_.size()].standardise(prediction.value[i]));
  return at::tensor(z).view({1, -1, num_outputs()});
}

at::Tensor ValueTask::right_outputs(const TargetRows& target) const {
  if (target.weight.defined()) {
    throw UsageError(
        "em.evidence=last-layer needs all targets of the rows to train on; use cross-fit");
  }
  return target.value;
}

std::unique_ptr<Expectation> ValueTask::expectation(Average /*average*/, Detail /*detail*/) const {
  return std::make_unique<ValueExpectation>(scale_);
}

Prediction ValueTask::average(std::span<const Prediction> predictions) const {
  Prediction out = mean_of(predictions);
  for (size_t i = 0; i < out.value.size(); ++i) {
    double variance = 0.0;
    for (const Prediction& p : predictions) {
      const double off = p.value[i] - out.value[i];
      variance += p.graph_part[i] * p.graph_part[i] + off * off;
    }
    out.graph_part[i] = std::sqrt(variance / static_cast<double>(predictions.size()));
  }
  return out;
}

const ScoreInfo& ValueTask::main_score() const {
  static const ScoreInfo info = *std::find_if(scores().begin(), scores().end(),
                                              [](const ScoreInfo& s) { return s.name == "rmse"; });
  return info;
}

// The mean over the known targets of one row.
double ValueTask::row_loss(std::span<const double> value, int32_t row) const {
  double sum = 0.0, known = 0.0;
  for (size_t t = 0; t < scale_.size(); ++t) {
    const double y = value_[static_cast<size_t>(row) * scale_.size() + t];
    if (std::isnan(y)) continue;
    sum += loss_of(loss_, scale_[t].standardise(value[t]), scale_[t].standardise(y));
    known += 1.0;
  }
  return known > 0.0 ? sum / known : 0.0;
}

PartScores ValueTask::score(std::span<const double> value, std::span<const int32_t> rows,
                            Ranks /*ranks*/) const {
  const size_t targets = scale_.size();
  std::vector<double> target;
  PartScores out;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto begin = value_.begin() + static_cast<int64_t>(rows[i]) * num_outputs();
    target.insert(target.end(), begin, begin + num_outputs());
    out.loss += row_loss(value.subspan(i * targets, targets), rows[i]);
  }
  out.loss /= static_cast<double>(rows.size());
  out.scores = value_scores(value, target, num_outputs());
  return out;
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
