// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

constexpr int kSpmmVectors = EMGNN_SPMM_VECTORS;
// Of a row that is finished before the next: its entries are read once.
constexpr int kRowVectors = kLanes == 16 ? 3 * kSpmmVectors : kSpmmVectors;
constexpr int32_t kPrefetchDistance = 16;  // entries ahead of the one in use

// The values of one graph.
struct Values {
  const float* val;
  const int32_t* index;

  Values(const SpmmBatch& batch, int64_t graph)
      : val(batch.val == nullptr ? nullptr : batch.val + graph * batch.val_stride),
        index(batch.val_index) {}

  float at(int32_t entry) const {
    if (val == nullptr) return 1.0F;
    return val[index == nullptr ? entry : index[entry]];
  }
};

// acc += Σ_e val[e] in[col[e], :] over the entries of one row, in their order. Entries up to
// `limit` exist.
template <class Acc>
inline void add_row(const CsrView& a, int64_t row, int32_t limit, const Values& values,
                    const float* in, int64_t width, int last, Acc& acc) {
  const int32_t end = a.rowptr[row + 1];
  for (int32_t e = a.rowptr[row]; e < end; ++e) {
    if (e + kPrefetchDistance < limit) {
      const float* ahead = in + a.col[e + kPrefetchDistance] * width;
      constexpr int kBytes = static_cast<int>(sizeof(acc.v));
      for (int b = 0; b < kBytes; b += 64) __builtin_prefetch(ahead + b / 4);
    }
    acc.add_scaled(values.at(e), in + a.col[e] * width, last);
  }
}

// Rows of one block take all rows at once; wider ones are finished row by row, so that the gathered
// rows are read whole.
inline int64_t rows_at_once(int64_t width, Range rows) {
  return width <= kSpmmVectors * kLanes ? rows.end - rows.begin : 1;
}

// Half of what a second-level cache holds, by and large.
constexpr int64_t kCacheFloats = 1 << 17;

// The same where the whole input does not fit into the second-level cache, but one block of its
// columns does: then all rows meet one block after the other.
inline int64_t rows_at_once(const CsrView& a, int64_t width, Range rows) {
  const int64_t block = int64_t{kSpmmVectors} * kLanes;
  const bool blocks = a.num_cols * width > kCacheFloats && a.num_cols * block <= kCacheFloats;
  return blocks ? rows.end - rows.begin : rows_at_once(width, rows);
}

void spmm_range(const CsrView& a, const SpmmBatch& batch, int64_t graph, Range rows) {
  const int64_t width = batch.width;
  const int64_t step = rows_at_once(a, width, rows);
  // Nothing is fetched ahead from an input that is at hand.
  const int32_t limit = a.num_cols * width <= kCacheFloats ? 0 : a.rowptr[rows.end];
  const Values values(batch, graph);
  const float* in = batch.in + graph * batch.in_stride;
  float* out = batch.out + graph * batch.out_stride;
  const auto multiply = [&](auto acc, int64_t begin, int64_t offset, int last) {
    for (int64_t i = begin; i < begin + step; ++i) {
      acc.zero();
      add_row(a, i, limit, values, in + offset, width, last, acc);
      acc.write(out + i * width + offset, last);
    }
  };
  for (int64_t begin = rows.begin; begin < rows.end; begin += step) {
    const auto each = [&](auto acc, int64_t offset, int last) {
      multiply(acc, begin, offset, last);
    };
    if (step == 1) {
      for_blocks<kRowVectors>(width, each);
    } else {
      for_blocks<kSpmmVectors>(width, each);
    }
  }
}

void spmm_sum_range(const CsrView& a, const SpmmBatch& batch, Range rows) {
  const int64_t width = batch.width;
  const int64_t step = rows_at_once(width, rows);
  const int32_t limit = a.rowptr[rows.end];
  for (int64_t g = 0; g < batch.num_graphs; ++g) {
    const Values values(batch, g);
    for (int64_t begin = rows.begin; begin < rows.end; begin += step) {
      for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
        for (int64_t i = begin; i < begin + step; ++i) {
          float* out = batch.out + i * width + offset;
          if (g == 0) {
            acc.zero();
          } else {
            acc.read(out, last);
          }
          add_row(a, i, limit, values, batch.in + g * batch.in_stride + offset, width, last, acc);
          acc.write(out, last);
        }
      });
    }
  }
}

}  // namespace
}  // namespace emgnn::kernels
