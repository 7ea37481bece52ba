// SPDX-License-Identifier: Apache-2.0
// All pairs of dense rows, tile by tile: float32 products of unit rows find the pairs that can
// exceed τ, float64 decides.
#include <algorithm>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/gemm.h>
#include <emgnn/space/cosine_pairs.h>

namespace emgnn::detail {

namespace {

// A tile of products, [kTileRows, kTileCols], stays in the second-level cache.
constexpr int64_t kTileRows = 192;
constexpr int64_t kTileCols = 128;

struct UnitRows {
  int64_t num_rows, num_cols;
  std::vector<float> val;  // [num_rows, num_cols]
};

// out[j, c] = unit row first + c at column j, zero beyond the last row
void transpose_block(const UnitRows& unit, int64_t first, std::vector<float>& out) {
  std::fill(out.begin(), out.end(), 0.0F);
  for (int64_t c = 0; c < std::min(kTileCols, unit.num_rows - first); ++c) {
    const float* row = unit.val.data() + (first + c) * unit.num_cols;
    for (int64_t j = 0; j < unit.num_cols; ++j) out[size_t(j * kTileCols + c)] = row[j];
  }
}

bool any_above(const float* product, float floor) {
  int above = 0;
  for (int64_t c = 0; c < kTileCols; ++c) above |= product[c] > floor ? 1 : 0;
  return above != 0;
}

// All pairs u < v with v in the block of columns that begins at `first`.
template <class Rows>
void block_pairs(const UnitRows& unit, const Rows& rows, int64_t first, float floor,
                 PairBuffer& buffer) {
  std::vector<float> block(size_t(unit.num_cols * kTileCols));
  std::vector<float> product(size_t(kTileRows * kTileCols));
  transpose_block(unit, first, block);
  const int64_t last = std::min(unit.num_rows, first + kTileCols);
  for (int64_t begin = 0; begin < last; begin += kTileRows) {
    check_stop();
    const int64_t num_rows = std::min(kTileRows, last - begin);
    kernels::gemm(num_rows, kTileCols, unit.num_cols, unit.val.data() + begin * unit.num_cols,
                  block.data(), product.data());
    for (int64_t r = 0; r < num_rows; ++r) {
      const float* line = product.data() + r * kTileCols;
      if (!any_above(line, floor)) continue;
      const int64_t u = begin + r;
      for (int64_t v = std::max(first, u + 1); v < last; ++v)
        if (line[v - first] > floor)
          buffer.offer(int32_t(u), int32_t(v), rows.cosine(int32_t(u), int32_t(v)));
    }
  }
}

template <class Rows>
void unit_pairs(const UnitRows& unit, const Rows& rows, PairCollector& out) {
  const auto floor = static_cast<float>(out.options().threshold - float_error(unit.num_cols));
  const int64_t num_blocks = (unit.num_rows + kTileCols - 1) / kTileCols;
  parallel_for(num_blocks, 1, [&](int64_t begin, int64_t end) {
    PairBuffer buffer(out);
    for (int64_t task = begin; task < end && !out.is_full(); ++task)
      block_pairs(unit, rows, alternate_ends(task, num_blocks) * kTileCols, floor, buffer);
    buffer.flush();
  });
}

}  // namespace

void dense_pairs(const DenseNormed& rows, PairCollector& out) {
  UnitRows unit{rows.x.num_rows, rows.x.num_cols, {}};
  unit.val.resize(rows.x.val.size());
  for (int64_t i = 0; i < unit.num_rows; ++i) {
    const double scale = rows.norm[size_t(i)] == 0.0 ? 0.0 : 1.0 / rows.norm[size_t(i)];
    for (int64_t e = i * unit.num_cols; e < (i + 1) * unit.num_cols; ++e)
      unit.val[size_t(e)] = static_cast<float>(rows.x.val[size_t(e)] * scale);
  }
  unit_pairs(unit, rows, out);
}

void dense_pairs(const SparseNormed& rows, PairCollector& out) {
  UnitRows unit{rows.x.num_rows, rows.x.num_cols, {}};
  unit.val.assign(size_t(unit.num_rows * unit.num_cols), 0.0F);
  for (int64_t i = 0; i < unit.num_rows; ++i) {
    const double scale = rows.norm[size_t(i)] == 0.0 ? 0.0 : 1.0 / rows.norm[size_t(i)];
    for (int32_t e = rows.x.rowptr[size_t(i)]; e < rows.x.rowptr[size_t(i) + 1]; ++e)
      unit.val[size_t(i * unit.num_cols + rows.x.col[size_t(e)])] =
          static_cast<float>(rows.x.value(e) * scale);
  }
  unit_pairs(unit, rows, out);
}

}  // namespace emgnn::detail
