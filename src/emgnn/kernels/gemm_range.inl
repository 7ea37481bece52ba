// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

constexpr int kGemmRows = EMGNN_GEMM_ROWS;
constexpr int kGemmVectors = EMGNN_GEMM_VECTORS;

// kRows rows of C in registers; every element is one chain over p in ascending order, whatever
// kRows is.
template <int kRows, class Row>
inline void gemm_rows(const GemmTile& t, int64_t i, int last, Row) {
  Row acc[kRows];
  constexpr int kVectors = sizeof(acc[0].v) / sizeof(Vec);
  const float* a[kRows];
  float* c = t.c + i * t.c_row;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    a[r] = t.a + (i + r) * t.a_row;
    if (t.accumulate) {
      acc[r].read(c + r * t.c_row, last);
    } else {
      acc[r].zero();
    }
  }
  const float* b = t.b;
  for (int64_t p = 0; p < t.k; ++p, b += t.b_k) {
    Vec x[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) x[v] = load(b + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float s = a[r][p * t.a_k];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) acc[r].v[v] += s * x[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) acc[r].write(c + r * t.c_row, last);
}

template <int kRows, class Row>
inline void gemm_rest(const GemmTile& t, int64_t i, int last, Row row) {
  if (t.m - i == kRows) {
    gemm_rows<kRows>(t, i, last, row);
  } else if constexpr (kRows > 1) {
    gemm_rest<kRows - 1>(t, i, last, row);
  }
}

void gemm_tile(const GemmTile& t) {
  for_blocks<kGemmVectors>(t.n, [&](auto row, int64_t, int last) {
    int64_t i = 0;
    for (; i + kGemmRows <= t.m; i += kGemmRows) gemm_rows<kGemmRows>(t, i, last, row);
    gemm_rest<kGemmRows - 1>(t, i, last, row);
  });
}

}  // namespace
}  // namespace emgnn::kernels
