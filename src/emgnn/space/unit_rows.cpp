// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/unit_rows.h>

#include <cmath>

namespace emgnn {

namespace {

void make_unit(std::span<float> row) {
  double square = 0.0;
  for (const float x : row) square += double{x} * x;
  if (square == 0.0) return;
  for (float& x : row) x = static_cast<float>(x / std::sqrt(square));
}

}  // namespace

UnitRows::UnitRows(const Features& features)
    : num_rows_(features.num_rows), num_cols_(features.num_cols), is_sparse_(features.is_sparse) {
  if (is_sparse_) {
    sparse_ = features.sparse;
    if (sparse_.val.empty()) sparse_.val.assign(sparse_.col.size(), 1.0F);
    for (int32_t i = 0; i < num_rows_; ++i) {
      const CsrRow row = sparse_.row(i);
      make_unit(
          std::span(sparse_.val).subspan(static_cast<size_t>(row.begin_entry), row.col.size()));
    }
    return;
  }
  dense_ = features.dense.to_vector();
  const auto width = static_cast<size_t>(num_cols_);
  for (size_t i = 0; i < static_cast<size_t>(num_rows_); ++i)
    make_unit(std::span(dense_).subspan(i * width, width));
}

void UnitRows::add(int32_t row, double factor, std::span<double> x) const {
  if (is_sparse_) {
    for (const auto [e, c] : sparse_.row(row))
      x[static_cast<size_t>(c)] += factor * sparse_.value(e);
    return;
  }
  const std::span<const float> values = dense_row(row);
  for (size_t c = 0; c < values.size(); ++c) x[c] += factor * values[c];
}

double UnitRows::dot(int32_t row, std::span<const double> x) const {
  double sum = 0.0;
  if (is_sparse_) {
    for (const auto [e, c] : sparse_.row(row)) sum += sparse_.value(e) * x[static_cast<size_t>(c)];
    return sum;
  }
  const std::span<const float> values = dense_row(row);
  for (size_t c = 0; c < values.size(); ++c) sum += values[c] * x[c];
  return sum;
}

double UnitRows::square(int32_t row) const {
  double sum = 0.0;
  if (is_sparse_) {
    for (const auto [e, c] : sparse_.row(row)) sum += double{sparse_.value(e)} * sparse_.value(e);
    return sum;
  }
  for (const float x : dense_row(row)) sum += double{x} * x;
  return sum;
}

}  // namespace emgnn
