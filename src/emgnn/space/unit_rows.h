// SPDX-License-Identifier: Apache-2.0
// The features of nodes at length 1, so that a product of two rows is their cosine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/data/dataset.h>

namespace emgnn {

// Rows of zeros stay zeros.
class UnitRows {
 public:
  explicit UnitRows(const Features& features);

  int32_t num_rows() const { return num_rows_; }
  int32_t num_cols() const { return num_cols_; }
  // x += factor * row, and x · row, with x [num_cols].
  void add(int32_t row, double factor, std::span<double> x) const;
  double dot(int32_t row, std::span<const double> x) const;

  double square(int32_t row) const;  // |row|²: 1, but for rounding, or 0

  bool is_sparse() const { return is_sparse_; }
  const Csr& sparse() const { return sparse_; }
  std::span<const float> dense_row(int32_t row) const {
    const auto width = static_cast<size_t>(num_cols_);
    return std::span(dense_).subspan(static_cast<size_t>(row) * width, width);
  }

 private:
  int32_t num_rows_, num_cols_;
  bool is_sparse_;
  Csr sparse_;
  std::vector<float> dense_;
};

}  // namespace emgnn
