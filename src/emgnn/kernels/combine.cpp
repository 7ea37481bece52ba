// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/combine.h>

#include <algorithm>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

namespace {

// Rows whose terms stay in the first-level cache while all graphs pass over them.
int64_t rows_per_tile(const CombineShape& shape) {
  constexpr int64_t kTileFloats = 4096;
  return std::max<int64_t>(1, kTileFloats / std::max<int64_t>(1, shape.num_terms * shape.width));
}

template <class Body>
void for_row_tiles(const CombineShape& shape, const Body& body) {
  const int64_t tile = rows_per_tile(shape);
  parallel_for(shape.num_rows, tile, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += tile) body(Range{i, std::min(end, i + tile)});
  });
}

}  // namespace

void combine(const CombineShape& shape, const float* coef, const float* scale, const float* term,
             float* out) {
  const auto kernel = range_kernels().combine;
  for_row_tiles(shape, [&](Range rows) { kernel(shape, coef, scale, term, out, rows); });
}

void combine_backward(const CombineShape& shape, const float* coef, const float* scale,
                      const float* grad_out, float* grad_term) {
  if (shape.num_graphs == 0) {
    std::fill_n(grad_term, shape.num_terms * shape.num_rows * shape.width, 0.0F);
    return;
  }
  const auto kernel = range_kernels().combine_backward;
  for_row_tiles(shape, [&](Range rows) { kernel(shape, coef, scale, grad_out, grad_term, rows); });
}

}  // namespace emgnn::kernels
