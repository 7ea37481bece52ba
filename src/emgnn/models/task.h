// SPDX-License-Identifier: Apache-2.0
// Node classification: the loss of a set of labelled rows, and its scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/models/scores.h>

namespace emgnn {

// Mean cross-entropy of each graph in float64: logits [num_graphs, rows, classes], label int64
// [rows] -> [num_graphs].
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& label);

// The labels of `rows` as int64 [rows].
at::Tensor gather_labels(std::span<const int32_t> label, std::span<const int32_t> rows);

// Scores of float64 log-probabilities [rows, classes]; the predicted class is the first of the
// largest.
Scores classification_scores(const at::Tensor& log_prob, const at::Tensor& label);

}  // namespace emgnn
