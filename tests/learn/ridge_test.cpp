// SPDX-License-Identifier: Apache-2.0
// Factors against what they are factors of, and the errors of rows left out against fits without them.
#include <emgnn/learn/ridge.h>

#include <gtest/gtest.h>

#include <cmath>

#include "base/with_threads.h"

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/learn/cholesky.h>

namespace emgnn {
namespace {

const std::function<void()> kGoOn = [] {};

std::vector<double> random_spd(size_t n, uint64_t seed) {
  Rng rng(seed, Stream::kTest);
  std::vector<double> b(n * n), a(n * n);
  for (double& x : b) x = rng.normal();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = 0; k < n; ++k) a[i * n + j] += b[i * n + k] * b[j * n + k];
      if (i == j) a[i * n + j] += 1.0;
    }
  return a;
}

TEST(Cholesky, GivesTheMatrixBackAndItsInverse) {
  for (size_t n : {1, 2, 3, 5, 47, 48, 49, 130}) {
    const std::vector<double> a = random_spd(n, n);
    std::vector<double> l = a;
    cholesky(l, n, kGoOn);
    const std::vector<double> m = inverse_transposed(l, n, kGoOn);
    // Sums of n products of entries up to about n, and a condition of up to about 4n².
    const auto size = static_cast<double>(n);
    const double tolerance = 1e-15 * size * size * 10, inverse_tolerance = 1e-13 * size * size;
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        double product = 0.0, unit = 0.0;
        for (size_t k = 0; k <= j; ++k) product += l[i * n + k] * l[j * n + k];
        EXPECT_NEAR(product, a[i * n + j], tolerance) << n;
        // (L L⁻¹)_ij with column j of L⁻¹ in row j.
        for (size_t k = j; k <= i; ++k) unit += l[i * n + k] * m[j * n + k];
        EXPECT_NEAR(unit, i == j ? 1.0 : 0.0, inverse_tolerance) << n;
      }
      for (size_t j = i + 1; j < n; ++j) EXPECT_EQ(m[j * n + i], 0.0);
    }
  }
}

TEST(Cholesky, BitsDoNotDependOnThreads) {
  const size_t n = 150;
  const auto run = [&] {
    std::vector<double> l = random_spd(n, 7);
    cholesky(l, n, kGoOn);
    return std::pair(l, inverse_transposed(l, n, kGoOn));
  };
  const auto one = with_threads(1, run);
  EXPECT_EQ(with_threads(3, run), one);
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  std::vector<double> a = {1.0, 2.0, 2.0, 1.0};
  EXPECT_THROW(cholesky(a, 2, kGoOn), Error);
}

struct Rows {
  FeatureRows x;
  std::vector<std::vector<double>> written_out;
  std::vector<double> y, weight;
};

Rows random_rows(int32_t n, size_t width, double unknown) {
  constexpr int32_t kDense = 3, kSparse = 9;
  Rng rng(5, Stream::kTest);
  Rows out;
  out.x.num_dense = kDense;
  out.x.sparse = {.num_rows = n, .num_cols = kSparse};
  for (int32_t i = 0; i < n; ++i) {
    std::vector<double> row;
    for (int32_t c = 0; c < kDense; ++c) {
      out.x.dense.push_back(c == 2 ? 1.5F : static_cast<float>(3.0 + rng.normal()));
      row.push_back(out.x.dense.back());
    }
    for (int32_t c = 0; c < kSparse; ++c) {
      const auto count = static_cast<float>(rng.below(3) == 0 ? 1 + rng.below(4) : 0);
      row.push_back(count);
      if (count == 0.0F) continue;
      out.x.sparse.col.push_back(c);
      out.x.sparse.val.push_back(count);
    }
    out.x.sparse.rowptr.push_back(static_cast<int32_t>(out.x.sparse.col.size()));
    for (size_t t = 0; t < width; ++t) {
      const bool known = t == 0 || rng.uniform() >= unknown;
      out.weight.push_back(known ? 1.0 : 0.0);
      out.y.push_back(known ? 2.0 * row[0] - row[4] + static_cast<double>(t) + rng.normal() : 0.0);
    }
    out.written_out.push_back(row);
  }
  return out;
}

// Minimises Σ (y − a − z·b)² + α |b|² over the given rows by Gaussian elimination; z = (x − m) / s.
std::vector<double> slow_fit(const Rows& rows, size_t width, size_t output, double penalty,
                             const std::vector<size_t>& some) {
  const size_t n = rows.written_out.size(), p = rows.written_out.front().size();
  std::vector<double> deviation(p);
  for (size_t c = 0; c < p; ++c) {
    double mean = 0.0;
    for (const auto& row : rows.written_out) mean += row[c] / static_cast<double>(n);
    bool varies = false;
    for (const auto& row : rows.written_out) {
      deviation[c] += (row[c] - mean) * (row[c] - mean) / static_cast<double>(n);
      varies |= row[c] != rows.written_out.front()[c];
    }
    deviation[c] = std::sqrt(deviation[c]);
    if (c >= static_cast<size_t>(rows.x.num_dense)) deviation[c] = 1.0;  // only centred
    if (!varies) deviation[c] = 0.0;
  }
  const size_t q = p + 1;
  std::vector<std::vector<double>> a(q, std::vector<double>(q + 1));
  for (size_t i : some) {
    std::vector<double> z = {1.0};
    for (size_t c = 0; c < p; ++c)
      z.push_back(deviation[c] > 0.0 ? rows.written_out[i][c] / deviation[c] : 0.0);
    for (size_t r = 0; r < q; ++r) {
      for (size_t c = 0; c < q; ++c) a[r][c] += z[r] * z[c];
      a[r][q] += z[r] * rows.y[i * width + output];
    }
  }
  for (size_t r = 1; r < q; ++r) a[r][r] += penalty;
  for (size_t k = 0; k < q; ++k) {
    for (size_t r = 0; r < q; ++r) {
      if (r == k) continue;
      const double f = a[r][k] / a[k][k];
      for (size_t c = k; c <= q; ++c) a[r][c] -= f * a[k][c];
    }
  }
  std::vector<double> out = {a[0][q] / a[0][0]};
  for (size_t c = 0; c < p; ++c)
    out.push_back(deviation[c] > 0.0 ? a[c + 1][q] / a[c + 1][c + 1] / deviation[c] : 0.0);
  return out;
}

double predicted(const std::vector<double>& model, const std::vector<double>& row) {
  double out = model[0];
  for (size_t c = 0; c < row.size(); ++c) out += model[c + 1] * row[c];
  return out;
}

TEST(Ridge, LeavesOutEachRowAsAFitWithoutItDoes) {
  constexpr size_t kWidth = 2;
  const Rows rows = random_rows(30, kWidth, 0.3);
  Ridge ridge(rows.x, kWidth, rows.y, rows.weight);
  EXPECT_EQ(ridge.num_steps(), 2 * static_cast<int64_t>(Ridge::penalties().size()));
  RidgeModel model = ridge.start();
  while (model.tried < ridge.num_steps()) ridge.step(model, kGoOn);
  for (size_t t = 0; t < kWidth; ++t) {
    std::vector<size_t> known;
    for (size_t i = 0; i < 30; ++i)
      if (rows.weight[i * kWidth + t] > 0.0) known.push_back(i);
    const auto n = static_cast<double>(known.size());
    double best = std::numeric_limits<double>::infinity(), chosen = 0.0;
    std::vector<double> left_out(30);
    for (double penalty : Ridge::penalties()) {
      double error = 0.0;
      std::vector<double> each(30);
      for (size_t i : known) {
        std::vector<size_t> others;
        for (size_t k : known)
          if (k != i) others.push_back(k);
        each[i] = predicted(slow_fit(rows, kWidth, t, penalty * n, others), rows.written_out[i]);
        const double off = rows.y[i * kWidth + t] - each[i];
        error += off * off / n;
      }
      if (error >= best) continue;
      best = error;
      chosen = penalty;
      left_out = each;
    }
    EXPECT_EQ(model.penalty[t], chosen);
    EXPECT_NEAR(model.error[t], best, 1e-9 * best);
    for (size_t i : known) EXPECT_NEAR(model.left_out[i * kWidth + t], left_out[i], 1e-9);
    const std::vector<double> want = slow_fit(rows, kWidth, t, chosen * n, known);
    EXPECT_NEAR(model.intercept[t], want[0], 1e-9);
    for (size_t c = 0; c + 1 < want.size(); ++c)
      EXPECT_NEAR(model.weight[t * 12 + c], want[c + 1], 1e-9) << c;
  }
}

TEST(Ridge, BitsDoNotDependOnThreads) {
  const Rows rows = random_rows(60, 2, 0.3);
  const auto run = [&] {
    Ridge ridge(rows.x, 2, rows.y, rows.weight);
    RidgeModel model = ridge.start();
    while (model.tried < ridge.num_steps()) ridge.step(model, kGoOn);
    return std::pair(model.weight, model.left_out);
  };
  EXPECT_EQ(with_threads(4, run), with_threads(1, run));
}

TEST(Ridge, NeedsTwoKnownRowsOfEveryTarget) {
  const Rows rows = random_rows(3, 1, 0.0);
  EXPECT_THROW(Ridge(rows.x, 1, rows.y, {1.0, 0.0, 0.0}), UsageError);
}

}  // namespace
}  // namespace emgnn
