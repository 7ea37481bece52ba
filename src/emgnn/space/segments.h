// SPDX-License-Identifier: Apache-2.0
// Sums and maxima over sets of rows: what turns the atoms of a molecule into the molecule.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/space/edges.h>

namespace emgnn {

// Sets of rows; a row may be in several. All functions are differentiable once.
class Segments {
 public:
  // rows: [num_segments, num_rows] without values; no segment is empty.
  explicit Segments(Csr rows);
  ~Segments();
  Segments(Segments&&) noexcept;

  int64_t num_segments() const;
  // [num_segments, 1]
  const at::Tensor& sizes() const { return sizes_; }

  // Σ h[r] and Σ weight[r] h[r] over the rows of each segment: h [num_rows, d], weight
  // [num_rows, 1] -> [num_segments, d].
  at::Tensor sum(const at::Tensor& h) const;
  at::Tensor weighted_sum(const at::Tensor& h, const at::Tensor& weight) const;
  // The largest of each column; the first of equals has the gradient.
  at::Tensor max(const at::Tensor& h) const;

  // Which rows are in which segment, as the entries of a hop from rows to segments: for attention over
  // the rows of each. Made when first asked for.
  const c10::intrusive_ptr<Edges>& edges() const;

  struct Map;

 private:
  c10::intrusive_ptr<Map> map_;
  at::Tensor sizes_;
};

}  // namespace emgnn
