// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/csr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

size_t at(int64_t i) { return static_cast<size_t>(i); }

Csr shaped(int32_t num_rows, int32_t num_cols) {
  Csr a;
  a.num_rows = num_rows;
  a.num_cols = num_cols;
  return a;
}

void check_coo(int32_t num_rows, int32_t num_cols, const Coo& coo) {
  EMGNN_CHECK(num_rows >= 0 && num_cols >= 0, "a matrix needs a shape of at least 0 x 0",
              fmt::format("{} x {}", num_rows, num_cols));
  EMGNN_CHECK(coo.row.size() == coo.col.size(), "entries need as many rows as columns",
              fmt::format("{} rows, {} columns", coo.row.size(), coo.col.size()));
  EMGNN_CHECK(coo.val.empty() || coo.val.size() == coo.row.size(),
              fmt::format("expected no values or {} values", coo.row.size()), coo.val.size());
  EMGNN_CHECK(coo.row.size() <= at(std::numeric_limits<int32_t>::max()),
              "a matrix holds at most 2^31 - 1 entries", coo.row.size());
  for (size_t e = 0; e < coo.row.size(); ++e) {
    if (coo.row[e] < 0 || coo.row[e] >= num_rows)
      throw UsageError(fmt::format("entry {}: row {} is outside [0, {})", e, coo.row[e], num_rows));
    if (coo.col[e] < 0 || coo.col[e] >= num_cols)
      throw UsageError(
          fmt::format("entry {}: column {} is outside [0, {})", e, coo.col[e], num_cols));
  }
}

// start[b] = how many keys are below b: where a counting sort begins to write bucket b.
std::vector<int32_t> bucket_starts(std::span<const int32_t> keys, int32_t num_buckets) {
  std::vector<int32_t> start(at(num_buckets) + 1, 0);
  for (const int32_t key : keys) ++start[at(key) + 1];
  for (size_t b = 1; b < start.size(); ++b) start[b] += start[b - 1];
  return start;
}

// The entries' numbers ordered by (row, column), equal ones as given: two stable counting sorts.
std::vector<int32_t> sorted_order(int32_t num_rows, int32_t num_cols, const Coo& coo) {
  const size_t num_entries = coo.row.size();
  std::vector<int32_t> by_col(num_entries);
  std::vector<int32_t> order(num_entries);
  std::vector<int32_t> next = bucket_starts(coo.col, num_cols);
  for (size_t e = 0; e < num_entries; ++e)
    by_col[at(next[at(coo.col[e])]++)] = static_cast<int32_t>(e);
  next = bucket_starts(coo.row, num_rows);
  for (const int32_t e : by_col) order[at(next[at(coo.row[at(e)])]++)] = e;
  return order;
}

float merged(float kept, float again, Duplicates duplicates) {
  switch (duplicates) {
    case Duplicates::kSum:
      return kept + again;
    case Duplicates::kKeepMax:
      return std::max(kept, again);
    case Duplicates::kKeepFirst:
      break;
  }
  return kept;
}

void check_square(const Csr& a, const char* what) {
  EMGNN_CHECK(a.num_rows == a.num_cols, fmt::format("{} needs a square matrix", what),
              fmt::format("{} x {}", a.num_rows, a.num_cols));
}

// The entries of a for which keep(row, column) holds.
template <class Keep>
Csr filter(const Csr& a, Keep keep) {
  Csr out = shaped(a.num_rows, a.num_cols);
  out.rowptr.reserve(a.rowptr.size());
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (const auto [e, j] : a.row(i)) {
      if (!keep(i, j)) continue;
      out.col.push_back(j);
      if (!a.val.empty()) out.val.push_back(a.val[at(e)]);
    }
    out.rowptr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

// The union of two patterns of one shape; where both are stored the value is both(x, y).
template <class Both>
Csr merge(const Csr& a, const Csr& b, bool with_values, Both both) {
  Csr out = shaped(a.num_rows, a.num_cols);
  out.rowptr.reserve(a.rowptr.size());
  out.col.reserve(a.col.size() + b.col.size());
  if (with_values) out.val.reserve(a.col.size() + b.col.size());
  for (size_t i = 0; i < at(a.num_rows); ++i) {
    int32_t p = a.rowptr[i];
    int32_t q = b.rowptr[i];
    while (p < a.rowptr[i + 1] || q < b.rowptr[i + 1]) {
      const int32_t x = p < a.rowptr[i + 1] ? a.col[at(p)] : a.num_cols;
      const int32_t y = q < b.rowptr[i + 1] ? b.col[at(q)] : a.num_cols;
      out.col.push_back(std::min(x, y));
      if (with_values)
        out.val.push_back(x < y ? a.value(p) : y < x ? b.value(q) : both(a.value(p), b.value(q)));
      p += x <= y ? 1 : 0;
      q += y <= x ? 1 : 0;
    }
    EMGNN_CHECK(out.col.size() <= at(std::numeric_limits<int32_t>::max()),
                "a matrix holds at most 2^31 - 1 entries", out.col.size());
    out.rowptr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

// val[e] = scale(row, col) * a.val[e]
template <class Scale>
Csr scaled(const Csr& a, Scale scale) {
  Csr out = a;
  out.val.resize(a.col.size());
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (const auto [e, j] : a.row(i))
      out.val[at(e)] = static_cast<float>(scale(i, j) * a.value(e));
  return out;
}

}  // namespace

Csr csr_from_coo(int32_t num_rows, int32_t num_cols, const Coo& coo, Duplicates duplicates) {
  check_coo(num_rows, num_cols, coo);
  const std::vector<int32_t> order = sorted_order(num_rows, num_cols, coo);
  Csr out = shaped(num_rows, num_cols);
  out.rowptr.assign(at(num_rows) + 1, 0);
  out.col.reserve(order.size());
  out.val.reserve(order.size());
  bool all_ones = coo.val.empty();
  int32_t last_row = -1;
  for (const int32_t e : order) {
    const int32_t row = coo.row[at(e)];
    const int32_t col = coo.col[at(e)];
    const float val = coo.val.empty() ? 1.0F : coo.val[at(e)];
    if (row == last_row && out.col.back() == col) {
      out.val.back() = merged(out.val.back(), val, duplicates);
      all_ones = all_ones && duplicates != Duplicates::kSum;
      continue;
    }
    out.col.push_back(col);
    out.val.push_back(val);
    ++out.rowptr[at(row) + 1];
    last_row = row;
  }
  for (size_t i = 1; i < out.rowptr.size(); ++i) out.rowptr[i] += out.rowptr[i - 1];
  if (all_ones) out.val = {};
  return out;
}

Transposed transpose(const Csr& a) {
  Transposed t;
  t.csr.num_rows = a.num_cols;
  t.csr.num_cols = a.num_rows;
  t.csr.rowptr = bucket_starts(a.col, a.num_cols);
  t.csr.col.resize(a.col.size());
  t.csr.val.resize(a.val.size());
  t.entry.resize(a.col.size());
  std::vector<int32_t> next = t.csr.rowptr.to_vector();
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (const auto [e, j] : a.row(i)) {
      const int32_t k = next[at(j)]++;
      t.csr.col[at(k)] = i;
      t.entry[at(k)] = e;
      if (!a.val.empty()) t.csr.val[at(k)] = a.val[at(e)];
    }
  }
  return t;
}

Csr symmetrise(const Csr& a) {
  check_square(a, "symmetrise");
  return merge(a, transpose(a).csr, !a.val.empty(),
               [](float x, float y) { return std::max(x, y); });
}

bool is_symmetric(const Csr& a) {
  if (a.num_rows != a.num_cols) return false;
  const Csr t = transpose(a).csr;
  return t.rowptr == a.rowptr && t.col == a.col && t.val == a.val;
}

Csr remove_diagonal(const Csr& a) {
  return filter(a, [](int32_t row, int32_t col) { return col != row; });
}

Csr add_diagonal(const Csr& a, float value) {
  check_square(a, "add_diagonal");
  Csr diagonal = shaped(a.num_rows, a.num_cols);
  for (int32_t i = 0; i < a.num_rows; ++i) {
    diagonal.col.push_back(i);
    diagonal.val.push_back(value);
    diagonal.rowptr.push_back(i + 1);
  }
  return merge(a, diagonal, true, [](float x, float y) { return x + y; });
}

std::vector<double> row_sums(const Csr& a) {
  std::vector<double> sum(at(a.num_rows), 0.0);
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (const CsrRow::Entry entry : a.row(i)) sum[at(i)] += a.value(entry.number);
  return sum;
}

Csr normalise_rows(const Csr& a) {
  std::vector<double> inverse = row_sums(a);
  for (double& d : inverse) d = d == 0.0 ? 0.0 : 1.0 / d;
  return scaled(a, [&](int32_t row, int32_t) { return inverse[at(row)]; });
}

Csr normalise_symmetric(const Csr& a) {
  check_square(a, "normalise_symmetric");
  std::vector<double> root = row_sums(a);
  for (double& d : root) d = d > 0.0 ? 1.0 / std::sqrt(d) : 0.0;
  return scaled(a, [&](int32_t row, int32_t col) { return root[at(row)] * root[at(col)]; });
}

Csr select_rows(const Csr& a, std::span<const int32_t> ids) {
  Csr out = shaped(static_cast<int32_t>(ids.size()), a.num_cols);
  out.rowptr.reserve(ids.size() + 1);
  for (size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] < 0 || ids[k] >= a.num_rows)
      throw UsageError(fmt::format("id {}: row {} is outside [0, {})", k, ids[k], a.num_rows));
    for (const auto [e, j] : a.row(ids[k])) {
      out.col.push_back(j);
      if (!a.val.empty()) out.val.push_back(a.val[at(e)]);
    }
    out.rowptr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

}  // namespace emgnn
