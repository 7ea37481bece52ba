// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/gemm.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

namespace {

constexpr int64_t kDepth = 512;    // k of one pass: a panel of B stays in the second-level cache
constexpr int64_t kTileRows = 96;  // rows of C that meet one panel in turn
constexpr int64_t kAlignFloats = 16;

int64_t round_up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

// Uninitialised floats on a cache line's boundary.
struct Free {
  void operator()(float* p) const { std::free(p); }
};
using Scratch = std::unique_ptr<float, Free>;

Scratch scratch(int64_t size) {
  const auto bytes = static_cast<size_t>(round_up(std::max<int64_t>(size, 1), kAlignFloats)) * 4;
  auto* p = static_cast<float*>(std::aligned_alloc(64, bytes));
  if (p == nullptr) throw std::bad_alloc();
  return Scratch(p);
}

// B[k,n] seen as panels of `width` columns: B itself, or a copy with the panels one after the
// other, [k, width] each and zero-padded.
struct Panels {
  int64_t k = 0;
  int64_t n = 0;
  int64_t width = 0;
  int64_t row_stride = 0;
  int64_t panel_stride = 0;
  const float* data = nullptr;
  Scratch owned;

  int64_t count() const { return (n + width - 1) / width; }
  int64_t columns(int64_t panel) const { return std::min(width, n - panel * width); }
  const float* at(int64_t panel, int64_t p) const {
    return data + panel * panel_stride + p * row_stride;
  }
};

// B[p,j] = b[p·k_stride + j·j_stride]
Panels panels_of(int64_t k, int64_t n, const float* b, int64_t k_stride, int64_t j_stride) {
  constexpr int64_t kDenseColumns = 256;  // rows this short are read as they are
  Panels out;
  out.k = k;
  out.n = n;
  out.width = std::min(range_kernels().gemm_panel, round_up(n, kAlignFloats));
  if (j_stride == 1 && n % out.width == 0 && n <= kDenseColumns) {
    out.row_stride = k_stride;
    out.panel_stride = out.width;
    out.data = b;
    return out;
  }
  out.row_stride = out.width;
  out.panel_stride = k * out.width;
  out.owned = scratch(out.count() * out.panel_stride);
  float* const packed = out.owned.get();
  parallel_for(out.count() * k, 512, [&, packed](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t panel = row / k;
      const float* from = b + (row % k) * k_stride + panel * out.width * j_stride;
      float* to = packed + row * out.width;
      const int64_t columns = out.columns(panel);
      for (int64_t j = 0; j < columns; ++j) to[j] = from[j * j_stride];
      std::fill(to + columns, to + out.width, 0.0F);
    }
  });
  out.data = packed;
  return out;
}

// Products that take long enough to be interrupted: some tenths of a second.
bool is_large(int64_t m, int64_t n, int64_t k) {
  constexpr double kLarge = 2e9;
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > kLarge;
}

// Rows [begin, end) of C = A B. Each element is summed in ascending k, in passes of kDepth.
void multiply_rows(const Panels& b, const float* a, float* c, Range rows) {
  const auto kernel = range_kernels().gemm;
  for (int64_t p = 0; p < std::max<int64_t>(b.k, 1); p += kDepth) {
    for (int64_t panel = 0; panel < b.count(); ++panel) {
      kernel({.m = rows.end - rows.begin,
              .n = b.columns(panel),
              .k = std::min(kDepth, b.k - p),
              .a = a + rows.begin * b.k + p,
              .a_row = b.k,
              .a_k = 1,
              .b = b.at(panel, p),
              .b_k = b.row_stride,
              .c = c + rows.begin * b.n + panel * b.width,
              .c_row = b.n,
              .accumulate = p > 0});
    }
  }
}

void multiply(int64_t m, const Panels& b, const float* a, float* c) {
  const bool large = is_large(m, b.n, b.k);
  parallel_for(m, kTileRows, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kTileRows) {
      if (large) check_overdue();
      multiply_rows(b, a, c, {i, std::min(end, i + kTileRows)});
    }
  });
}

// How C = Aᵀ B with a long k is cut: chunks of k, each with its own partial C, and tiles of C's
// rows. Both depend on the shape alone.
struct ChunkPlan {
  int64_t chunk;  // rows of A and B in a chunk
  int64_t num_chunks;
  int64_t num_tiles;
};

ChunkPlan chunk_plan(int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kMaxChunks = 64;
  constexpr int64_t kMaxPartial = 1 << 19;  // floats in all partial C together
  const int64_t most =
      std::clamp<int64_t>(kMaxPartial / std::max<int64_t>(1, m * n), 1, kMaxChunks);
  const int64_t chunk = round_up(std::max<int64_t>(1, (k + most - 1) / most), kDepth);
  return {chunk, std::max<int64_t>(1, (k + chunk - 1) / chunk), (m + kTileRows - 1) / kTileRows};
}

// One tile of rows of a chunk's partial C, from up to kDepth rows of A and B; with `accumulate` they are
// not the chunk's first. The columns of A are copied so that they lie densely.
void multiply_tile(int64_t m, const Panels& b, const float* a, float* c, Range rows,
                   bool accumulate) {
  const auto kernel = range_kernels().gemm;
  const int64_t num_rows = rows.end - rows.begin;
  const Scratch dense = scratch(num_rows == m ? 0 : b.k * num_rows);
  const float* slice = a + rows.begin;
  if (num_rows != m) {
    for (int64_t q = 0; q < b.k; ++q)
      std::copy_n(slice + q * m, num_rows, dense.get() + q * num_rows);
    slice = dense.get();
  }
  for (int64_t panel = 0; panel < b.count(); ++panel) {
    kernel({.m = num_rows,
            .n = b.columns(panel),
            .k = b.k,
            .a = slice,
            .a_row = 1,
            .a_k = num_rows,
            .b = b.at(panel, 0),
            .b_k = b.row_stride,
            .c = c + rows.begin * b.n + panel * b.width,
            .c_row = b.n,
            .accumulate = accumulate});
  }
}

// C[m,n] = Aᵀ B of A[k,m] and B[k,n], or a partial C of each chunk.
struct ChunkedProduct {
  int64_t m, n, k;
  const float *a, *b;
  ChunkPlan plan;
  float* c;  // [num_chunks, m, n]

  // Rows [done, done + kDepth) of every chunk; all tiles of a chunk share its panels.
  void add(int64_t done) const {
    std::vector<Panels> panels;
    for (int64_t begin = done; begin < std::max<int64_t>(k, 1); begin += plan.chunk)
      panels.push_back(panels_of(std::min(kDepth, k - begin), n, b + begin * n, n, 1));
    const auto num_tasks = static_cast<int64_t>(panels.size()) * plan.num_tiles;
    parallel_for(num_tasks, 1, [&](int64_t first, int64_t last) {
      for (int64_t task = first; task < last; ++task) {
        const int64_t chunk = task / plan.num_tiles;
        const int64_t row = task % plan.num_tiles * kTileRows;
        multiply_tile(m, panels[static_cast<size_t>(chunk)], a + (chunk * plan.chunk + done) * m,
                      c + chunk * m * n, {row, std::min(m, row + kTileRows)}, done > 0);
      }
    });
  }
};

}  // namespace

void gemm(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* c) {
  if (m == 0 || n == 0) return;
  multiply(m, panels_of(k, n, b, n, 1), a, c);
}

void gemm_nt(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* c) {
  if (m == 0 || n == 0) return;
  multiply(m, panels_of(k, n, b, 1, k), a, c);
}

void gemm_tn(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* c) {
  if (m == 0 || n == 0) return;
  if (n < kAlignFloats && n < m) {  // Cᵀ = Bᵀ A fills whole vectors where C's rows do not
    const Scratch transposed = scratch(n * m);
    gemm_tn(n, m, k, b, a, transposed.get());
    for (int64_t e = 0; e < m * n; ++e) c[e] = transposed.get()[e % n * m + e / n];
    return;
  }
  const ChunkPlan plan = chunk_plan(m, n, k);
  const bool large = is_large(m, n, k);
  const Scratch partial = scratch(plan.num_chunks == 1 ? 0 : plan.num_chunks * m * n);
  float* const sums = plan.num_chunks == 1 ? c : partial.get();
  const ChunkedProduct product{.m = m, .n = n, .k = k, .a = a, .b = b, .plan = plan, .c = sums};
  for (int64_t done = 0; done < plan.chunk; done += kDepth) {
    if (large) check_overdue();
    product.add(done);
  }
  if (plan.num_chunks == 1) return;
  parallel_for(m * n, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float total = sums[i];
      for (int64_t chunk = 1; chunk < plan.num_chunks; ++chunk) total += sums[chunk * m * n + i];
      c[i] = total;
    }
  });
}

}  // namespace emgnn::kernels
