// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/stack.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/learn/diverged.h>

namespace emgnn {

namespace {

// F and its gradient at some weights.
class Objective {
 public:
  Objective(std::span<const double> log_likelihood, size_t num_graphs, double kappa)
      : rows_(log_likelihood.size() / num_graphs), kappa_(kappa), q_(log_likelihood.size()) {
    // A row's likelihoods are scaled by the largest of them: F moves by a constant.
    for (size_t i = 0; i < rows_; ++i) {
      double top = log_likelihood[i];
      for (size_t g = 1; g < num_graphs; ++g) top = std::max(top, log_likelihood[g * rows_ + i]);
      for (size_t g = 0; g < num_graphs; ++g)
        q_[g * rows_ + i] = std::exp(log_likelihood[g * rows_ + i] - top);
    }
  }

  struct Value {
    double f = 0.0;
    std::vector<double> gradient;
  };

  Value at(const std::vector<double>& log_prob) const {
    check_overdue();
    const size_t graphs = log_prob.size();
    const auto n = static_cast<double>(rows_);
    Value out{.gradient = std::vector<double>(graphs)};
    std::vector<double> mean(rows_), p(graphs);
    for (size_t g = 0; g < graphs; ++g) {
      p[g] = std::exp(log_prob[g]);
      for (size_t i = 0; i < rows_; ++i) mean[i] += p[g] * q_[g * rows_ + i];
    }
    for (double& m : mean) {
      out.f -= std::log(m) / n;
      m = 1.0 / m;
    }
    const double uniform = -std::log(static_cast<double>(graphs));
    for (size_t g = 0; g < graphs; ++g) {
      double sum = 0.0;
      for (size_t i = 0; i < rows_; ++i) sum += q_[g * rows_ + i] * mean[i];
      const double excess = log_prob[g] - uniform;
      out.gradient[g] = (kappa_ * (excess + 1.0) - sum) / n;
      out.f += kappa_ / n * p[g] * excess;
    }
    return out;
  }

 private:
  size_t rows_;
  double kappa_;
  std::vector<double> q_;
};

// p ← p exp(−step · gradient), normalised.
std::vector<double> moved(const std::vector<double>& log_prob, const std::vector<double>& gradient,
                          double step) {
  std::vector<double> out(log_prob.size());
  for (size_t g = 0; g < out.size(); ++g) out[g] = log_prob[g] - step * gradient[g];
  const double top = *std::max_element(out.begin(), out.end());
  double sum = 0.0;
  for (double lp : out) sum += std::exp(lp - top);
  for (double& lp : out) lp -= top + std::log(sum);
  return out;
}

// The standard deviation of the gradient under p: 0 at the optimum, where it is the same for every
// graph that has a weight.
double residual(const std::vector<double>& log_prob, const std::vector<double>& gradient) {
  double mean = 0.0, square = 0.0;
  for (size_t g = 0; g < gradient.size(); ++g) mean += std::exp(log_prob[g]) * gradient[g];
  for (size_t g = 0; g < gradient.size(); ++g) {
    const double off = gradient[g] - mean;
    square += std::exp(log_prob[g]) * off * off;
  }
  return std::sqrt(square);
}

}  // namespace

StackResult stack(std::span<const double> log_likelihood, int64_t num_graphs, double kappa) {
  constexpr int kSteps = 2000, kHalvings = 60;
  constexpr double kTolerance = 1e-7;
  const auto graphs = static_cast<size_t>(num_graphs);
  EMGNN_DCHECK(num_graphs > 0 && !log_likelihood.empty() && log_likelihood.size() % graphs == 0);
  for (double v : log_likelihood) check_has_not_diverged(v);
  const Objective objective(log_likelihood, graphs, kappa);
  StackResult out{.log_prob = std::vector<double>(graphs, -std::log(static_cast<double>(graphs)))};
  Objective::Value now = objective.at(out.log_prob);
  double step = 1.0;
  for (int k = 0; k < kSteps; ++k) {
    out.residual = residual(out.log_prob, now.gradient);
    if (out.residual < kTolerance) break;
    bool better = false;
    for (int h = 0; h < kHalvings && !better; ++h) {
      std::vector<double> next = moved(out.log_prob, now.gradient, step);
      Objective::Value there = objective.at(next);
      better = there.f < now.f;
      if (better) {
        out.log_prob = std::move(next);
        now = std::move(there);
      } else {
        step /= 2.0;
      }
    }
    if (!better) break;  // as good as the numbers allow
    step *= 1.6;
  }
  return out;
}

}  // namespace emgnn
