// SPDX-License-Identifier: Apache-2.0
// What the searches for pairs of similar rows share; the public side is candidate_edges.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include <emgnn/space/candidate_edges.h>

namespace emgnn::detail {

// Rows with their Euclidean norms. cosine() is float64, 0 where a row is zero, and symmetric to the
// bit.
struct SparseNormed {
  const Csr& x;
  std::vector<double> norm;
  explicit SparseNormed(const Csr& features);
  double cosine(int32_t u, int32_t v) const;
};

// The same cosines of one row with many: the row lies open, so that only the other one is walked.
class FixedRow {
 public:
  explicit FixedRow(const SparseNormed& rows) : rows_(rows), open_(size_t(rows.x.num_cols), 0.0F) {}
  void fix(int32_t u);
  void release();
  double cosine(int32_t v) const;  // with the fixed row

 private:
  const SparseNormed& rows_;
  std::vector<float> open_;  // [num_cols]
  int32_t u_ = 0;
};

struct DenseNormed {
  const DenseRows& x;
  std::vector<double> norm;
  explicit DenseNormed(const DenseRows& features);
  double cosine(int32_t u, int32_t v) const;
};

// How far the float32 inner product of two unit rows of `length` values may be from the exact one:
// each of the `length` products and sums adds at most 2⁻²⁴ of Σ|x_i y_i| <= 1. Twice that, for the
// roundings of the unit rows.
constexpr double float_error(int64_t length) {
  return static_cast<double>(length + 16) * 0x1.0p-23;
}

inline bool before(const CandidateEdge& a, const CandidateEdge& b) {
  return a.u != b.u ? a.u < b.u : a.v < b.v;
}

// Task k of n with first and last in turn, so that the consecutive tasks of a thread cost the same
// when task i costs i.
constexpr int64_t alternate_ends(int64_t k, int64_t n) {
  return k % 2 == 0 ? k / 2 : n - 1 - k / 2;
}

// Where the threads put their pairs. What it holds in the end does not depend on their order.
class PairCollector {
 public:
  PairCollector(const Csr& adjacency, const CandidateOptions& options)
      : adjacency_(adjacency), options_(options) {}

  void add(std::vector<CandidateEdge>& found);  // empties it; UsageError beyond max_pairs
  bool is_full() const { return is_full_; }     // the search has failed: stop
  std::vector<CandidateEdge> sorted();

  const CandidateOptions& options() const { return options_; }
  bool adjacent(int32_t u, int32_t v) const;

 private:
  const Csr& adjacency_;
  const CandidateOptions& options_;
  std::mutex mutex_;
  std::vector<CandidateEdge> pairs_;
  std::atomic<bool> is_full_ = false;
};

[[noreturn]] void throw_too_many(const CandidateOptions& options);

// One thread's pairs on their way to the collector.
class PairBuffer {
 public:
  explicit PairBuffer(PairCollector& collector) : collector_(collector) {}

  // Takes the pair if its cosine exceeds τ and it is no edge.
  void offer(int32_t u, int32_t v, double cosine) {
    if (!(cosine > collector_.options().threshold + kCosineTie) || collector_.adjacent(u, v))
      return;
    found_.push_back({std::min(u, v), std::max(u, v), static_cast<float>(cosine)});
    if (found_.size() == kFlush) flush();
  }
  void flush() { collector_.add(found_); }

 private:
  static constexpr size_t kFlush = 4096;
  PairCollector& collector_;
  std::vector<CandidateEdge> found_;
};

// The searches. sparse_pairs goes over to dense_pairs where that is cheaper.
void sparse_pairs(const SparseNormed& rows, PairCollector& out);
void dense_pairs(const SparseNormed& rows, PairCollector& out);
void dense_pairs(const DenseNormed& rows, PairCollector& out);
std::vector<CandidateEdge> hashed_pairs(const SparseNormed& rows, const Csr& adjacency,
                                        const CandidateOptions& options);

}  // namespace emgnn::detail
