// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/candidate_edges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/space/cosine_pairs.h>

namespace emgnn {

namespace detail {

namespace {

constexpr int64_t kRowGrain = 256;

bool stores(const Csr& a, int32_t row, int32_t col) {
  const auto begin = a.col.begin() + a.rowptr[size_t(row)];
  const auto end = a.col.begin() + a.rowptr[size_t(row) + 1];
  return std::binary_search(begin, end, col);
}

// norm[i] = sqrt(squares(i)) for every row; squares of finite floats are finite in float64.
template <class Squares>
std::vector<double> norms(int32_t num_rows, Squares squares) {
  std::vector<double> norm(size_t(num_rows), 0.0);
  parallel_for(num_rows, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      norm[size_t(i)] = std::sqrt(squares(i));
      if (!std::isfinite(norm[size_t(i)]))
        throw UsageError(fmt::format("node {}: a feature is not finite", i));
    }
  });
  return norm;
}

}  // namespace

SparseNormed::SparseNormed(const Csr& features) : x(features) {
  norm = norms(x.num_rows, [&](int64_t i) {
    double sum = 0.0;
    for (int32_t e = x.rowptr[size_t(i)]; e < x.rowptr[size_t(i) + 1]; ++e)
      sum += double(x.value(e)) * x.value(e);
    return sum;
  });
}

double SparseNormed::cosine(int32_t u, int32_t v) const {
  if (norm[size_t(u)] == 0.0 || norm[size_t(v)] == 0.0) return 0.0;
  int32_t p = x.rowptr[size_t(u)];
  int32_t q = x.rowptr[size_t(v)];
  const int32_t p_end = x.rowptr[size_t(u) + 1];
  const int32_t q_end = x.rowptr[size_t(v) + 1];
  double dot = 0.0;
  while (p < p_end && q < q_end) {
    const int32_t a = x.col[size_t(p)];
    const int32_t b = x.col[size_t(q)];
    if (a == b) dot += double(x.value(p)) * x.value(q);
    p += a <= b ? 1 : 0;
    q += b <= a ? 1 : 0;
  }
  return dot / (norm[size_t(u)] * norm[size_t(v)]);
}

void FixedRow::fix(int32_t u) {
  u_ = u;
  for (int32_t e = rows_.x.rowptr[size_t(u)]; e < rows_.x.rowptr[size_t(u) + 1]; ++e)
    open_[size_t(rows_.x.col[size_t(e)])] = rows_.x.value(e);
}

void FixedRow::release() {
  for (int32_t e = rows_.x.rowptr[size_t(u_)]; e < rows_.x.rowptr[size_t(u_) + 1]; ++e)
    open_[size_t(rows_.x.col[size_t(e)])] = 0.0F;
}

double FixedRow::cosine(int32_t v) const {
  const double norms = rows_.norm[size_t(u_)] * rows_.norm[size_t(v)];
  if (norms == 0.0) return 0.0;
  const Csr& x = rows_.x;
  double dot = 0.0;
  for (int32_t e = x.rowptr[size_t(v)]; e < x.rowptr[size_t(v) + 1]; ++e)
    dot += double(x.value(e)) * open_[size_t(x.col[size_t(e)])];
  return dot / norms;
}

DenseNormed::DenseNormed(const DenseRows& features) : x(features) {
  norm = norms(x.num_rows, [&](int64_t i) {
    double sum = 0.0;
    for (const float value : x.val.subspan(size_t(i * x.num_cols), size_t(x.num_cols)))
      sum += double(value) * value;
    return sum;
  });
}

double DenseNormed::cosine(int32_t u, int32_t v) const {
  if (norm[size_t(u)] == 0.0 || norm[size_t(v)] == 0.0) return 0.0;
  const float* a = x.val.data() + int64_t(u) * x.num_cols;
  const float* b = x.val.data() + int64_t(v) * x.num_cols;
  double dot = 0.0;
  for (int32_t j = 0; j < x.num_cols; ++j) dot += double(a[j]) * b[j];
  return dot / (norm[size_t(u)] * norm[size_t(v)]);
}

void throw_too_many(const CandidateOptions& options) {
  throw TooManyCandidates(fmt::format("more than {} candidate edges have a cosine above {}",
                                      options.max_pairs, options.threshold));
}

void PairCollector::add(std::vector<CandidateEdge>& found) {
  const std::lock_guard lock(mutex_);
  if (int64_t(pairs_.size() + found.size()) > options_.max_pairs) {
    is_full_ = true;
    throw_too_many(options_);
  }
  pairs_.insert(pairs_.end(), found.begin(), found.end());
  found.clear();
}

std::vector<CandidateEdge> PairCollector::sorted() {
  std::sort(pairs_.begin(), pairs_.end(), before);
  return std::move(pairs_);
}

bool PairCollector::adjacent(int32_t u, int32_t v) const {
  return stores(adjacency_, u, v) || stores(adjacency_, v, u);
}

}  // namespace detail

namespace {

void check_call(int32_t num_nodes, const Csr& adjacency, const CandidateOptions& options) {
  EMGNN_CHECK(options.threshold >= 0.0 && options.threshold < 1.0,
              "the cosine threshold must be in [0, 1)", options.threshold);
  EMGNN_CHECK(options.max_pairs >= 0, "max_pairs cannot be negative", options.max_pairs);
  EMGNN_CHECK(options.recall > 0.0 && options.recall <= 1.0, "recall must be in (0, 1]",
              options.recall);
  EMGNN_CHECK(adjacency.num_rows == num_nodes && adjacency.num_cols == num_nodes,
              fmt::format("features of {0} nodes need an adjacency of {0} x {0}", num_nodes),
              fmt::format("{} x {}", adjacency.num_rows, adjacency.num_cols));
}

int64_t num_nonzeros(const DenseRows& x) {
  return static_cast<int64_t>(x.val.size()) - std::count(x.val.begin(), x.val.end(), 0.0F);
}

Csr csr_of(const DenseRows& x, int64_t num_entries) {
  EMGNN_CHECK(num_entries <= std::numeric_limits<int32_t>::max(),
              "approximate search takes at most 2^31 - 1 feature values", num_entries);
  Csr out;
  out.num_rows = x.num_rows;
  out.num_cols = x.num_cols;
  out.rowptr.reserve(size_t(x.num_rows) + 1);
  out.col.reserve(size_t(num_entries));
  out.val.reserve(size_t(num_entries));
  for (int32_t i = 0; i < x.num_rows; ++i) {
    for (int32_t j = 0; j < x.num_cols; ++j) {
      const float value = x.val[size_t(i) * size_t(x.num_cols) + size_t(j)];
      if (value == 0.0F) continue;
      out.col.push_back(j);
      out.val.push_back(value);
    }
    out.rowptr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

}  // namespace

std::vector<CandidateEdge> candidate_edges(const Csr& features, const Csr& adjacency,
                                           const CandidateOptions& options) {
  check_call(features.num_rows, adjacency, options);
  const detail::SparseNormed rows(features);
  if (options.recall < 1.0) return detail::hashed_pairs(rows, adjacency, options);
  detail::PairCollector out(adjacency, options);
  detail::sparse_pairs(rows, out);
  return out.sorted();
}

std::vector<CandidateEdge> candidate_edges(const DenseRows& features, const Csr& adjacency,
                                           const CandidateOptions& options) {
  EMGNN_CHECK(int64_t(features.val.size()) == int64_t(features.num_rows) * features.num_cols,
              fmt::format("dense features of {} x {} need as many values", features.num_rows,
                          features.num_cols),
              features.val.size());
  check_call(features.num_rows, adjacency, options);
  // Below a quarter of non-zeros the sparse copy is no larger than half of the input.
  const int64_t num_entries = num_nonzeros(features);
  if (options.recall < 1.0 || num_entries < int64_t(features.val.size()) / 4)
    return candidate_edges(csr_of(features, num_entries), adjacency, options);
  detail::PairCollector out(adjacency, options);
  detail::dense_pairs(detail::DenseNormed(features), out);
  return out.sorted();
}

}  // namespace emgnn
