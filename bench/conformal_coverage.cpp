// SPDX-License-Identifier: Apache-2.0
// How often prediction sets and intervals hold the right answer, where the theory says exactly how
// often they should: the labelled rows that a run neither trained on nor stopped by are divided at
// random, 100 times, into calibration and test rows.
//   build/release/conformal_coverage RUN...
// Ends with status 1 where a mean is further from what is expected than chance allows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/data/split_shares.h>
#include <emgnn/run/predict.h>

namespace emgnn {
namespace {

constexpr int kDraws = 100;
constexpr double kLevel = 0.9;
constexpr double kFar = 4.0;  // standard errors of a mean: once in 16,000

// Labelled, and in no part that training has seen.
std::vector<int32_t> unseen_rows(const Predicted& run) {
  const Split& split = run.data->split();
  std::vector<char> seen(static_cast<size_t>(run.data->num_rows()), 0);
  for (const auto* part : {&split.train, &split.validation})
    for (int32_t row : *part) seen[static_cast<size_t>(row)] = 1;
  std::vector<int32_t> out;
  for (int32_t row : run.prediction.rows)
    if (seen[static_cast<size_t>(row)] == 0 && run.data->labels().known(row)) out.push_back(row);
  return out;
}

struct Moments {
  void add(double v) {
    sum += v / kDraws;
    squares += v * v / kDraws;
  }
  double std() const { return std::sqrt(std::max(0.0, squares - sum * sum)); }
  double sum = 0.0, squares = 0.0;
};

// Whether the mean coverage is as expected: of n calibration and m test rows, the number of covered
// ones is beta-binomial (tests/learn/conformal_test.cpp). Draws are independent, for with fixed
// scores all that matters is which ranks they give to whom.
bool redraw(const Predicted& run, SetForm form) {
  std::vector<int32_t> pool = unseen_rows(run);
  const size_t n = pool.size() / 2, m = pool.size() - n;
  std::vector<size_t> place(static_cast<size_t>(run.data->num_rows()));
  for (size_t i = 0; i < run.prediction.rows.size(); ++i)
    place[static_cast<size_t>(run.prediction.rows[i])] = i;
  Moments covered, size;
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    Rng rng(draw, Stream::kSplit);
    shuffle(pool, rng);
    const std::span<const int32_t> all = pool;
    const CalibrationScores scores =
        calibration_scores(*run.data, run.prediction, all.first(n), draw);
    const PredictedSets sets = predicted_sets(*run.data, run.prediction, scores,
                                              {.level = kLevel, .form = form, .seed = draw});
    const RowCoverage rows = coverage_of(sets, run.prediction, run.data->labels());
    double hit = 0.0, sizes = 0.0;
    for (int32_t row : all.subspan(n)) {
      hit += rows.covered[place[static_cast<size_t>(row)]] / static_cast<double>(m);
      sizes += rows.size[place[static_cast<size_t>(row)]] / static_cast<double>(m);
    }
    covered.add(hit);
    size.add(sizes);
  }
  const double a = static_cast<double>(n) + 1.0, mu = std::ceil(a * kLevel - 1e-9) / a;
  const double one = std::sqrt(mu * (1.0 - mu) / static_cast<double>(m) *
                               (1.0 + (static_cast<double>(m) - 1.0) / (a + 1.0)));
  const bool good = std::abs(covered.sum - mu) <= kFar * one / std::sqrt(kDraws);
  const bool classes = run.data->labels().kind == LabelKind::kClasses;
  fmt::print("{:16} {:14} {:5} {:6} {:6} {:9.2f} {:9.2f} {:7.2f} {:9.2f} {:9.3f} {:7.3f}  {}\n",
             run.dataset, run.method,
             !classes                 ? "-"
             : form == SetForm::kDaps ? "daps"
                                      : "aps",
             n, m, 100 * covered.sum, 100 * mu, 100 * covered.std(), 100 * one, size.sum,
             size.std(), good ? "as expected" : "NOT AS EXPECTED");
  return good;
}

bool check_runs(const std::vector<std::string>& folders) {
  fmt::print("{:16} {:14} {:5} {:>6} {:>6} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7}\n", "dataset",
             "method", "sets", "n", "m", "covered %", "expected", "std", "expected", "size", "std");
  bool good = true;
  for (const std::string& folder : folders) {
    const Predicted run = predict_with({.run = folder}, true);
    good = redraw(run, SetForm::kAps) && good;
    if (run.data->graph() && run.data->labels().kind == LabelKind::kClasses)
      good = redraw(run, SetForm::kDaps) && good;
  }
  return good;
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  try {
    return emgnn::check_runs({argv + 1, argv + argc}) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "conformal_coverage: {}\n", error.what());
    return 2;
  }
}
