// SPDX-License-Identifier: Apache-2.0
// Ridge regression of several outputs, the penalty of each chosen by its exact leave-one-out error.
// Dense columns are standardised. Sparse ones keep their scale: divided by its deviation, a column
// that is hardly ever more than 0 would weigh most. Plain numbers: no LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <emgnn/data/descriptors.h>

namespace emgnn {

// What is best so far.
struct RidgeModel {
  int64_t tried = 0;              // steps
  std::vector<double> error;      // [width] mean squared error of rows left out
  std::vector<double> penalty;    // [width]
  std::vector<double> intercept;  // [width]
  std::vector<double> weight;     // [width, columns] of columns as they are, not standardised
  std::vector<double> left_out;   // [rows, width] predictions of models fitted without the row
};

class Ridge {
 public:
  // Over the number of known rows; a standardised column has that number as its square.
  static const std::vector<double>& penalties();

  // target and weight [rows, width]; weight 0: not known, anything else counts alike.
  Ridge(FeatureRows rows, int64_t width, std::vector<double> target,
        const std::vector<double>& weight);

  // One penalty for the outputs that are known for the same rows.
  int64_t num_steps() const;
  RidgeModel start() const;
  // Step model.tried. `poll` is called now and then, by this thread; it may throw.
  void step(RidgeModel& model, const std::function<void()>& poll);

 private:
  struct Group {
    std::vector<int32_t> rows;
    std::vector<size_t> outputs;
  };
  struct Term {
    size_t column;  // of those that vary
    double value;   // times the column's factor
  };
  class Factor;

  void standardise();
  std::span<const Term> terms_of(int32_t row) const;
  void prepare(size_t group, const std::function<void()>& poll);
  void fit(const Factor& factor, size_t output, double penalty, RidgeModel& model) const;
  const Group& group() const { return groups_[prepared_]; }

  FeatureRows x_;
  size_t width_;
  std::vector<double> target_;
  std::vector<Group> groups_;
  std::vector<int32_t> columns_;           // that vary
  std::vector<double> factor_;             // [columns_] one over the deviation; 1 of sparse ones
  std::vector<int64_t> term_begin_ = {0};  // [rows + 1]
  std::vector<Term> terms_;
  // Of one group: the means of the columns, and what is below and on the diagonal of ZᵀZ.
  size_t prepared_ = std::numeric_limits<size_t>::max();
  std::vector<double> mean_, gram_;
};

}  // namespace emgnn
