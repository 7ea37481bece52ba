// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/ridge.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/learn/cholesky.h>

namespace emgnn {

const std::vector<double>& Ridge::penalties() {
  static const std::vector<double> grid = {1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0};
  return grid;
}

Ridge::Ridge(FeatureRows rows, int64_t width, std::vector<double> target,
             const std::vector<double>& weight)
    : x_(std::move(rows)), width_(static_cast<size_t>(width)), target_(std::move(target)) {
  std::map<std::vector<int32_t>, std::vector<size_t>> outputs;
  for (size_t t = 0; t < width_; ++t) {
    std::vector<int32_t> known;
    for (int32_t i = 0; i < x_.num_rows(); ++i)
      if (weight[static_cast<size_t>(i) * width_ + t] != 0.0) known.push_back(i);
    EMGNN_CHECK(known.size() >= 2, "ridge needs at least two training rows of every target",
                known.size());
    outputs[std::move(known)].push_back(t);
  }
  for (auto& [known, of] : outputs) groups_.push_back({known, std::move(of)});
  standardise();
}

// Columns that do not vary are left out. Means are taken off later, for the rows of a group.
void Ridge::standardise() {
  const auto n = static_cast<size_t>(x_.num_rows()), dense = static_cast<size_t>(x_.num_dense);
  const auto all = static_cast<size_t>(x_.num_cols());
  std::vector<double> sum(all), centred(all), entries(all);
  const auto for_each = [&](const auto& take) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t c = 0; c < dense; ++c) take(c, x_.dense[i * dense + c]);
      for (const auto [e, c] : x_.sparse.row(static_cast<int32_t>(i)))
        take(dense + static_cast<size_t>(c), x_.sparse.val[static_cast<size_t>(e)]);
    }
  };
  const auto count = static_cast<double>(n);
  for_each([&](size_t c, double x) {
    sum[c] += x;
    entries[c] += 1.0;
  });
  for_each([&](size_t c, double x) {
    const double off = x - sum[c] / count;
    centred[c] += off * off;
  });
  std::vector<int64_t> place(all, -1);
  for (size_t c = 0; c < all; ++c) {
    const double mean = sum[c] / count;
    const double variance = (centred[c] + (count - entries[c]) * mean * mean) / count;
    if (variance <= 1e-12 * mean * mean || variance == 0.0) continue;
    place[c] = static_cast<int64_t>(columns_.size());
    columns_.push_back(static_cast<int32_t>(c));
    factor_.push_back(c < dense ? 1.0 / std::sqrt(variance) : 1.0);
  }
  for (size_t i = 0; i < n; ++i) {
    const auto add = [&](size_t c, double x) {
      if (place[c] < 0 || x == 0.0) return;
      const auto k = static_cast<size_t>(place[c]);
      terms_.push_back({k, x * factor_[k]});
    };
    for (size_t c = 0; c < dense; ++c) add(c, x_.dense[i * dense + c]);
    for (const auto [e, c] : x_.sparse.row(static_cast<int32_t>(i)))
      add(dense + static_cast<size_t>(c), x_.sparse.val[static_cast<size_t>(e)]);
    term_begin_.push_back(static_cast<int64_t>(terms_.size()));
  }
}

int64_t Ridge::num_steps() const {
  return static_cast<int64_t>(groups_.size() * penalties().size());
}

RidgeModel Ridge::start() const {
  return {.tried = 0,
          .error = std::vector<double>(width_, std::numeric_limits<double>::infinity()),
          .penalty = std::vector<double>(width_),
          .intercept = std::vector<double>(width_),
          .weight = std::vector<double>(width_ * static_cast<size_t>(x_.num_cols())),
          .left_out = target_};
}

// ZᵀZ = Σ x xᵀ − n m mᵀ over the rows of the group.
void Ridge::prepare(size_t number, const std::function<void()>& poll) {
  if (number == prepared_) return;
  constexpr size_t kRowsBetweenPolls = 1024;
  const std::vector<int32_t>& rows = groups_[number].rows;
  const size_t p = columns_.size();
  gram_.assign(p * p, 0.0);
  mean_.assign(p, 0.0);
  for (size_t r = 0; r < rows.size(); ++r) {
    if (r % kRowsBetweenPolls == 0) poll();
    const auto row = static_cast<size_t>(rows[r]);
    const Term* begin = terms_.data() + term_begin_[row];
    const Term* end = terms_.data() + term_begin_[row + 1];
    for (const Term* a = begin; a < end; ++a) {
      mean_[a->column] += a->value / static_cast<double>(rows.size());
      for (const Term* b = begin; b <= a; ++b)
        gram_[a->column * p + b->column] += a->value * b->value;
    }
  }
  const auto n = static_cast<double>(rows.size());
  for (size_t i = 0; i < p; ++i)
    for (size_t j = 0; j <= i; ++j) gram_[i * p + j] -= n * mean_[i] * mean_[j];
  prepared_ = number;
}

// (ZᵀZ + αI)⁻¹ by way of L⁻¹, and the leverage of every row of the group, |L⁻¹ z|² + 1/n.
class Ridge::Factor {
 public:
  Factor(const Ridge& ridge, double penalty, const std::function<void()>& poll)
      : ridge_(ridge), p_(ridge.columns_.size()) {
    std::vector<double> matrix = ridge.gram_;
    for (size_t i = 0; i < p_; ++i) matrix[i * p_ + i] += penalty;
    cholesky(matrix, p_, poll);
    inverse_ = inverse_transposed(matrix, p_, poll);
    const std::vector<int32_t>& rows = ridge.group().rows;
    std::vector<Term> means;
    for (size_t c = 0; c < p_; ++c) means.push_back({c, ridge.mean_[c]});
    const std::vector<double> shift = times(means);
    leverage_.resize(rows.size());
    constexpr int64_t kRowsBetweenPolls = 4096;
    const auto n = static_cast<int64_t>(rows.size());
    for (int64_t first = 0; first < n; first += kRowsBetweenPolls) {
      poll();
      parallel_for(std::min(kRowsBetweenPolls, n - first), 1, [&](int64_t begin, int64_t end) {
        for (int64_t r = first + begin; r < first + end; ++r) {
          const std::vector<double> u = times(ridge.terms_of(rows[static_cast<size_t>(r)]));
          double sum = 1.0 / static_cast<double>(n);
          for (size_t k = 0; k < p_; ++k) sum += (u[k] - shift[k]) * (u[k] - shift[k]);
          leverage_[static_cast<size_t>(r)] = sum;
        }
      });
    }
  }

  double leverage(size_t r) const { return leverage_[r]; }

  std::vector<double> solve(const std::vector<double>& b) const {
    std::vector<Term> terms;
    for (size_t c = 0; c < p_; ++c) terms.push_back({c, b[c]});
    const std::vector<double> u = times(terms);
    std::vector<double> out(p_);
    for (size_t c = 0; c < p_; ++c)
      for (size_t k = c; k < p_; ++k) out[c] += inverse_[c * p_ + k] * u[k];
    return out;
  }

 private:
  // L⁻¹ x
  std::vector<double> times(std::span<const Term> x) const {
    std::vector<double> out(p_);
    for (const Term& term : x) {
      const double* column = inverse_.data() + term.column * p_;
      for (size_t k = term.column; k < p_; ++k) out[k] += term.value * column[k];
    }
    return out;
  }

  const Ridge& ridge_;
  size_t p_;
  std::vector<double> inverse_;  // row c: column c of L⁻¹, from the diagonal on
  std::vector<double> leverage_;
};

std::span<const Ridge::Term> Ridge::terms_of(int32_t row) const {
  const auto i = static_cast<size_t>(row);
  return std::span(terms_).subspan(static_cast<size_t>(term_begin_[i]),
                                   static_cast<size_t>(term_begin_[i + 1] - term_begin_[i]));
}

// A row's error without it is its residual over one less its leverage.
void Ridge::fit(const Factor& factor, size_t output, double penalty, RidgeModel& model) const {
  const std::vector<int32_t>& rows = group().rows;
  const auto n = static_cast<double>(rows.size());
  const size_t p = columns_.size();
  const auto y = [&](int32_t row) { return target_[static_cast<size_t>(row) * width_ + output]; };
  double mean = 0.0;
  for (int32_t row : rows) mean += y(row) / n;
  std::vector<double> moment(p);  // Zᵀ(y − mean): the means of Z fall out
  for (int32_t row : rows)
    for (const Term& term : terms_of(row)) moment[term.column] += term.value * (y(row) - mean);
  const std::vector<double> beta = factor.solve(moment);
  double at_means = 0.0;
  for (size_t c = 0; c < p; ++c) at_means += mean_[c] * beta[c];
  std::vector<double> left_out;
  double error = 0.0;
  for (size_t r = 0; r < rows.size(); ++r) {
    double fitted = mean - at_means;
    for (const Term& term : terms_of(rows[r])) fitted += term.value * beta[term.column];
    const double rest = std::max(1.0 - factor.leverage(r), 1e-12);
    const double off = (y(rows[r]) - fitted) / rest;
    left_out.push_back(y(rows[r]) - off);
    error += off * off / n;
  }
  if (!(error < model.error[output])) return;
  model.error[output] = error;
  model.penalty[output] = penalty;
  model.intercept[output] = mean - at_means;
  double* weight = model.weight.data() + output * static_cast<size_t>(x_.num_cols());
  for (size_t c = 0; c < p; ++c) weight[columns_[c]] = beta[c] * factor_[c];
  for (size_t r = 0; r < rows.size(); ++r)
    model.left_out[static_cast<size_t>(rows[r]) * width_ + output] = left_out[r];
}

void Ridge::step(RidgeModel& model, const std::function<void()>& poll) {
  const auto step = static_cast<size_t>(model.tried);
  EMGNN_DCHECK(model.tried < num_steps());
  prepare(step / penalties().size(), poll);
  const double penalty = penalties()[step % penalties().size()];
  const Factor factor(*this, penalty * static_cast<double>(group().rows.size()), poll);
  for (size_t output : group().outputs) fit(factor, output, penalty, model);
  ++model.tried;
}

}  // namespace emgnn
