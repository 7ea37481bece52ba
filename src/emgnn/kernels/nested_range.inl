// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

// What the entries of one graph are multiplied by.
struct NestedValues {
  const float* val;
  const float* col_factor;

  NestedValues(const NestedView& a, const NestedBatch& batch, int64_t graph)
      : val(a.val),
        col_factor(batch.col_factor == nullptr ? nullptr : batch.col_factor + graph * a.num_cols) {}

  float at(int32_t entry, int32_t col) const {
    const float value = val == nullptr ? 1.0F : val[entry];
    return col_factor == nullptr ? value : value * col_factor[col];
  }
};

inline float row_factor(const NestedView& a, const NestedBatch& batch, int64_t graph, int64_t row) {
  return batch.row_factor == nullptr ? 1.0F : batch.row_factor[graph * a.num_rows + row];
}

// acc += Σ_e value[e] in[col[e], :] over `count` entries. Entries up to `limit` exist.
template <class Acc>
inline void add_entries(const NestedView& a, int32_t begin, int32_t count, int32_t limit,
                        const NestedValues& values, const float* in, int64_t width, int last,
                        Acc& acc) {
  for (int32_t e = begin; e < begin + count; ++e) {
    if (e + kPrefetchDistance < limit) {
      const float* ahead = in + a.col[e + kPrefetchDistance] * width;
      constexpr int kBytes = static_cast<int>(sizeof(acc.v));
      for (int b = 0; b < kBytes; b += 64) __builtin_prefetch(ahead + b / 4);
    }
    acc.add_scaled(values.at(e, a.col[e]), in + a.col[e] * width, last);
  }
}

template <class Acc>
inline void sum_row(const NestedView& a, const NestedCounts& counts, int64_t row, int32_t limit,
                    const NestedValues& values, const float* in, int64_t width, int last,
                    Acc& acc) {
  acc.zero();
  add_entries(a, a.start[2 * row], counts.first[row], limit, values, in, width, last, acc);
  add_entries(a, a.start[2 * row + 1], counts.second[row], limit, values, in, width, last, acc);
}

void nested_range(const NestedView& a, const NestedBatch& batch, int64_t graph, Range rows) {
  const int64_t width = batch.width;
  const int64_t step = rows_at_once(width, rows);
  const int32_t limit = a.start[2 * rows.end];
  const NestedValues values(a, batch, graph);
  const float* in = batch.in + graph * batch.in_stride;
  float* out = batch.out + graph * batch.out_stride;
  for (int64_t begin = rows.begin; begin < rows.end; begin += step) {
    for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
      for (int64_t i = begin; i < begin + step; ++i) {
        sum_row(a, batch.counts[graph], i, limit, values, in + offset, width, last, acc);
        acc.scale(row_factor(a, batch, graph, i));
        acc.write(out + i * width + offset, last);
      }
    });
  }
}

void nested_add_range(const NestedView& a, const NestedBatch& batch, Range rows) {
  const int64_t width = batch.width;
  const int64_t step = rows_at_once(width, rows);
  const int32_t limit = a.start[2 * rows.end];
  for (int64_t g = 0; g < batch.num_graphs; ++g) {
    const NestedValues values(a, batch, g);
    const float* in = batch.in + g * batch.in_stride;
    for (int64_t begin = rows.begin; begin < rows.end; begin += step) {
      for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
        auto sum = acc;
        for (int64_t i = begin; i < begin + step; ++i) {
          float* out = batch.out + i * width + offset;
          sum_row(a, batch.counts[g], i, limit, values, in + offset, width, last, acc);
          sum.read(out, last);
          sum.add_block(row_factor(a, batch, g, i), acc);
          sum.write(out, last);
        }
      });
    }
  }
}

// A row's sum is kept from graph to graph: the same counts are the same sum, a longer second list
// continues it, and everything else starts anew, so that a sum never depends on how it came about.
void nested_shared_range(const NestedView& a, const NestedBatch& batch, Range rows) {
  const int64_t width = batch.width;
  const int32_t limit = a.start[2 * rows.end];
  const NestedValues values(a, batch, 0);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
      const float* in = batch.in + offset;
      float* out = batch.out + i * width + offset;
      auto scaled = acc;
      int32_t first = -1, second = 0;
      float factor = 0.0F;
      for (int64_t g = 0; g < batch.num_graphs; ++g) {
        const int32_t new_first = batch.counts[g].first[i], new_second = batch.counts[g].second[i];
        const float new_factor = row_factor(a, batch, g, i);
        const bool anew = new_first != first || new_second < second;
        if (anew) {
          acc.zero();
          add_entries(a, a.start[2 * i], new_first, limit, values, in, width, last, acc);
          second = 0;
        }
        if (anew || new_second != second || new_factor != factor) {
          add_entries(a, a.start[2 * i + 1] + second, new_second - second, limit, values, in, width,
                      last, acc);
          scaled = acc;
          scaled.scale(new_factor);
        }
        first = new_first;
        second = new_second;
        factor = new_factor;
        scaled.write(out + g * batch.out_stride, last);
      }
    });
  }
}

}  // namespace
}  // namespace emgnn::kernels
