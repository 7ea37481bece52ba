// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/cholesky.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

constexpr size_t kTogether = 4;  // rows that a row is multiplied with at once
constexpr size_t kBlock = 48;    // columns: their rows stay in the cache

using Rows = std::array<const double*, kTogether>;

// a · b[c] of each c, by two lanes that the compiler makes a vector of.
std::array<double, kTogether> dots(const double* a, const Rows& b, size_t n) {
  constexpr size_t kLanes = 2;
  double sum[kTogether][kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (size_t c = 0; c < kTogether; ++c)
      for (size_t l = 0; l < kLanes; ++l) sum[c][l] += a[i + l] * b[c][i + l];
  std::array<double, kTogether> out{};
  for (size_t c = 0; c < kTogether; ++c) {
    out[c] = sum[c][0] + sum[c][1];
    for (size_t k = i; k < n; ++k) out[c] += a[k] * b[c][k];
  }
  return out;
}

double dot(const double* a, const double* b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Takes the columns before `first` off the columns [first, last) of row i.
void take_off(double* matrix, size_t n, size_t i, size_t first, size_t last) {
  double* row = matrix + i * n;
  for (size_t j = first; j < std::min(last, i + 1); j += kTogether) {
    Rows others{};
    // Beyond the end a row is multiplied in vain.
    for (size_t c = 0; c < kTogether; ++c) others[c] = matrix + std::min(j + c, n - 1) * n;
    const std::array<double, kTogether> sum = dots(row, others, first);
    for (size_t c = 0; c < kTogether && j + c < std::min(last, i + 1); ++c) row[j + c] -= sum[c];
  }
}

// The columns [first, last) of row i, when those of the rows before are done.
void solve_row(double* matrix, size_t n, size_t i, size_t first, size_t last) {
  double* row = matrix + i * n;
  for (size_t j = first; j < std::min(last, i + 1); ++j) {
    const double* other = matrix + j * n;
    const double value = row[j] - dot(row + first, other + first, j - first);
    if (i != j) {
      row[j] = value / other[j];
      continue;
    }
    if (!(value > 0.0)) throw Error("a matrix that is to be factorised is not positive definite");
    row[j] = std::sqrt(value);
  }
}

}  // namespace

void cholesky(std::vector<double>& matrix, size_t n, const std::function<void()>& poll) {
  constexpr int64_t kGrain = 8;
  double* a = matrix.data();
  for (size_t first = 0; first < n; first += kBlock) {
    poll();
    const size_t last = std::min(first + kBlock, n);
    parallel_for(static_cast<int64_t>(n - first), kGrain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        take_off(a, n, first + i, first, last);
    });
    for (size_t i = first; i < last; ++i) solve_row(a, n, i, first, last);
    parallel_for(static_cast<int64_t>(n - last), kGrain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        solve_row(a, n, last + i, first, last);
    });
  }
}

std::vector<double> inverse_transposed(const std::vector<double>& factor, size_t n,
                                       const std::function<void()>& poll) {
  std::vector<double> out(n * n);
  const double* l = factor.data();
  // Column j of L⁻¹ solves L v = e_j; four that follow each other at once.
  const auto solve = [&](size_t first) {
    const size_t count = std::min(kTogether, n - first);
    Rows columns{};
    for (size_t c = 0; c < kTogether; ++c)
      columns[c] = out.data() + (first + std::min(c, count - 1)) * n + first;
    for (size_t k = first; k < n; ++k) {
      const std::array<double, kTogether> sum = dots(l + k * n + first, columns, k - first);
      for (size_t c = 0; c < count && first + c <= k; ++c)
        out[(first + c) * n + k] = ((k == first + c ? 1.0 : 0.0) - sum[c]) / l[k * n + k];
    }
  };
  const auto groups = static_cast<int64_t>((n + kTogether - 1) / kTogether);
  constexpr int64_t kGroupsBetweenPolls = 32;
  for (int64_t g = 0; g < groups; g += kGroupsBetweenPolls) {
    poll();
    parallel_for(std::min(kGroupsBetweenPolls, groups - g), 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) solve(static_cast<size_t>(g + k) * kTogether);
    });
  }
  return out;
}

}  // namespace emgnn
