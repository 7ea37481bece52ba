// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in compressed rows with 32-bit indices. Everything here is linear in time and
// memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/base/array.h>

namespace emgnn {

// One row of a matrix, valid while the matrix does not change:
//   for (const auto [e, j] : a.row(i))      // entry number and column
//   for (const int32_t j : a.row(i).col)    // columns only
struct CsrRow {
  struct Entry {
    int32_t number, col;
  };
  struct Iterator {
    const int32_t* col;
    int32_t number;

    Entry operator*() const { return {number, *col}; }
    Iterator& operator++() {
      ++col;
      ++number;
      return *this;
    }
    bool operator==(const Iterator& other) const { return number == other.number; }
  };

  std::span<const int32_t> col;
  int32_t begin_entry = 0, end_entry = 0;  // the numbers of its entries

  Iterator begin() const { return {col.data(), begin_entry}; }
  Iterator end() const { return {col.data() + col.size(), end_entry}; }
};

struct Csr {
  int32_t num_rows = 0;
  int32_t num_cols = 0;
  Array<int32_t> rowptr = {0};  // [num_rows + 1]
  Array<int32_t> col;           // [num_entries], ascending and distinct within a row
  Array<float> val;             // [num_entries], or empty: every value is 1

  int64_t num_entries() const { return static_cast<int64_t>(col.size()); }
  float value(int64_t entry) const { return val.empty() ? 1.0F : val[static_cast<size_t>(entry)]; }
  CsrRow row(int32_t i) const {
    const auto at = static_cast<size_t>(i);
    const int32_t begin = rowptr[at], end = rowptr[at + 1];
    return {{col.data() + begin, static_cast<size_t>(end - begin)}, begin, end};
  }
};

// Entries in any order. `val` is empty (all ones) or as long as `row`.
struct Coo {
  std::vector<int32_t> row, col;
  std::vector<float> val;
};

enum class Duplicates { kSum, kKeepFirst, kKeepMax };

// Checks every index against the shape (UsageError with the entry's position) and sorts each row.
Csr csr_from_coo(int32_t num_rows, int32_t num_cols, const Coo& coo, Duplicates duplicates);

// The transpose; `entry[k]` is the position in the original of the transpose's k-th entry.
struct Transposed {
  Csr csr;
  std::vector<int32_t> entry;
};
Transposed transpose(const Csr& a);

// a ∪ aᵀ for a square matrix; where both are stored the larger value stays.
Csr symmetrise(const Csr& a);
bool is_symmetric(const Csr& a);

Csr remove_diagonal(const Csr& a);
Csr add_diagonal(const Csr& a, float value);  // a + value·I; adds to a stored diagonal entry

std::vector<double> row_sums(const Csr& a);
Csr normalise_rows(const Csr& a);       // D⁻¹ a, rows of sum zero stay zero
Csr normalise_symmetric(const Csr& a);  // D^-1/2 a D^-1/2, D = row sums

// The rows `ids` of a, in that order.
Csr select_rows(const Csr& a, std::span<const int32_t> ids);

}  // namespace emgnn
