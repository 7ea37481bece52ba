// SPDX-License-Identifier: Apache-2.0
// An inverted index of a part of each sparse row, for finding pairs of large cosine.
//
// Terms are ordered from the rarest. The head of a unit row is its first terms, up to where the
// rest (its tail) has a norm of at most s <= τ. For rows x and y let x's head end first in that
// order: every shared term up to there is in both heads, every later one in x's tail, so by
// Cauchy-Schwarz
//   x·y <= A + max(|tail x|, |tail y|),  A = product of the two heads,
// also for negative values. Only heads are indexed, and only pairs whose bound exceeds τ need be
// looked at. The smaller s is, the longer are the lists and the fewer the pairs.
// Second bound, x·y <= max|y_t| Σ|x_t|: with the rows in ascending order of max|y_t| it cuts a
// window out of each list (for 0/1 rows: no row that is too long to be similar).
#pragma once

#include <span>
#include <vector>

#include <emgnn/space/cosine_pairs.h>

namespace emgnn::detail {

// Positions number the rows, by ascending largest weight.
struct HeadIndex {
  std::vector<int32_t> row;    // [positions]
  std::vector<float> largest;  // [positions] max_t |w_t| of the unit row
  std::vector<float> sum;      // [positions] Σ_t |w_t|
  std::vector<float> tail;     // [positions] norm of the tail, rounded up
  Csr heads;                   // [positions, terms], terms numbered from the rarest
  Csr postings;                // its transpose
  float floor = 0.0F;          // what a bound must exceed
};

// The place of each term from the rarest on
std::vector<int32_t> rank_terms(const Csr& x);

struct HeadOptions {
  float floor;  // τ less what float32 may lose
  double tail;  // s
};

// `subset` are rows that are not zero.
HeadIndex head_index(const SparseNormed& rows, std::vector<int32_t> subset,
                     std::span<const int32_t> rank, const HeadOptions& options);

// One thread's search for the partners of a position among the positions before it.
class HeadSearch {
 public:
  explicit HeadSearch(const HeadIndex& index) : index_(index), score_(index.row.size(), 0.0F) {}

  int64_t search(int32_t position);  // the number of additions it took
  const std::vector<int32_t>& candidates() const { return candidates_; }  // positions, distinct

 private:
  struct List {
    int32_t begin, end;  // entries of the postings with positions in the window
    float weight;
  };

  int64_t find_lists(int32_t position, int32_t first);
  void add_lists();
  void track_lists();
  void take(int32_t position, int32_t other);

  const HeadIndex& index_;
  std::vector<float> score_;  // [positions] all zero between two searches
  std::vector<List> lists_;
  std::vector<int32_t> touched_, candidates_;
};

}  // namespace emgnn::detail
