// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

// What the entries of one graph are multiplied by.
template <bool kWithVal, bool kWithCol>
struct NestedValues {
  const float* val;
  const float* col_factor;

  template <class Acc>
  void add(int32_t entry, int32_t col, const float* x, int last, Acc& acc) const {
    if constexpr (kWithVal && kWithCol) {
      acc.add_scaled(val[entry] * col_factor[col], x, last);
    } else if constexpr (kWithVal) {
      acc.add_scaled(val[entry], x, last);
    } else if constexpr (kWithCol) {
      acc.add_scaled(col_factor[col], x, last);
    } else {
      acc.add_scaled(1.0F, x, last);
    }
  }
};

// Calls body(NestedValues) with those of one graph.
template <class Body>
inline void with_values(const NestedView& a, const NestedBatch& batch, int64_t graph,
                        const Body& body) {
  if (batch.col_factor == nullptr) {
    if (a.val == nullptr) return body(NestedValues<false, false>{nullptr, nullptr});
    return body(NestedValues<true, false>{a.val, nullptr});
  }
  const float* col_factor = batch.col_factor + graph * a.num_cols;
  if (a.val == nullptr) return body(NestedValues<false, true>{nullptr, col_factor});
  body(NestedValues<true, true>{a.val, col_factor});
}

inline float row_factor(const NestedView& a, const NestedBatch& batch, int64_t graph, int64_t row) {
  return batch.row_factor == nullptr ? 1.0F : batch.row_factor[graph * a.num_rows + row];
}

// acc += Σ_e value[e] in[col[e], :] over `count` entries. Entries up to `limit` exist.
template <class Values, class Acc>
inline void add_entries(const NestedView& a, int32_t begin, int32_t count, int32_t limit,
                        const Values& values, const float* in, int64_t width, int last, Acc& acc) {
  for (int32_t e = begin; e < begin + count; ++e) {
    if (e + kPrefetchDistance < limit) {
      const float* ahead = in + a.col[e + kPrefetchDistance] * width;
      constexpr int kBytes = static_cast<int>(sizeof(acc.v));
      for (int b = 0; b < kBytes; b += 64) __builtin_prefetch(ahead + b / 4);
    }
    values.add(e, a.col[e], in + a.col[e] * width, last, acc);
  }
}

template <class Values, class Acc>
inline void sum_row(const NestedView& a, const NestedCounts& counts, int64_t row, int32_t limit,
                    const Values& values, const float* in, int64_t width, int last, Acc& acc) {
  acc.zero();
  add_entries(a, a.start[2 * row], counts.first[row], limit, values, in, width, last, acc);
  add_entries(a, a.start[2 * row + 1], counts.second[row], limit, values, in, width, last, acc);
}

void nested_range(const NestedView& a, const NestedBatch& batch, int64_t graph, Range rows) {
  const int64_t width = batch.width;
  const int64_t step = rows_at_once(width, rows);
  const int32_t limit = a.start[2 * rows.end];
  const NestedCounts counts = batch.counts[graph];
  const float* in = batch.in + graph * batch.in_stride;
  float* out = batch.out + graph * batch.out_stride;
  with_values(a, batch, graph, [&](const auto& values) {
    for (int64_t begin = rows.begin; begin < rows.end; begin += step) {
      for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
        for (int64_t i = begin; i < begin + step; ++i) {
          sum_row(a, counts, i, limit, values, in + offset, width, last, acc);
          acc.scale(row_factor(a, batch, graph, i));
          acc.write(out + i * width + offset, last);
        }
      });
    }
  });
}

void nested_add_range(const NestedView& a, const NestedBatch& batch, Range rows) {
  const int64_t width = batch.width;
  const int64_t step = rows_at_once(width, rows);
  const int32_t limit = a.start[2 * rows.end];
  for (int64_t g = 0; g < batch.num_graphs; ++g) {
    const NestedCounts counts = batch.counts[g];
    const float* in = batch.in + g * batch.in_stride;
    with_values(a, batch, g, [&](const auto& values) {
      for (int64_t begin = rows.begin; begin < rows.end; begin += step) {
        for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
          auto sum = acc;
          for (int64_t i = begin; i < begin + step; ++i) {
            float* out = batch.out + i * width + offset;
            sum_row(a, counts, i, limit, values, in + offset, width, last, acc);
            sum.read(out, last);
            sum.add_block(row_factor(a, batch, g, i), acc);
            sum.write(out, last);
          }
        });
      }
    });
  }
}

// A row's sum is kept from graph to graph: the same counts are the same sum, a longer second list
// continues it, and everything else starts anew, so that a sum never depends on how it came about.
template <class Values>
void shared_row(const NestedView& a, const NestedBatch& batch, int64_t row, int32_t limit,
                const Values& values) {
  const int32_t first_list = a.start[2 * row], second_list = a.start[2 * row + 1];
  for_blocks<kSpmmVectors>(batch.width, [&](auto acc, int64_t offset, int last) {
    const auto add = [&](int32_t begin, int32_t count) {
      add_entries(a, begin, count, limit, values, batch.in + offset, batch.width, last, acc);
    };
    float* out = batch.out + row * batch.width + offset;
    auto scaled = acc;
    int32_t first = -1, second = 0;
    float factor = 0.0F;
    for (int64_t g = 0; g < batch.num_graphs; ++g) {
      const NestedCounts counts = {batch.counts[g].first + row, batch.counts[g].second + row};
      const float new_factor = row_factor(a, batch, g, row);
      const bool anew = *counts.first != first || *counts.second < second;
      if (anew) {
        acc.zero();
        first = *counts.first;
        second = 0;
        add(first_list, first);
      }
      if (anew || *counts.second != second || new_factor != factor) {
        add(second_list + second, *counts.second - second);
        second = *counts.second;
        factor = new_factor;
        scaled = acc;
        scaled.scale(factor);
      }
      scaled.write(out + g * batch.out_stride, last);
    }
  });
}

void nested_shared_range(const NestedView& a, const NestedBatch& batch, Range rows) {
  const int32_t limit = a.start[2 * rows.end];
  with_values(a, batch, 0, [&](const auto& values) {
    for (int64_t i = rows.begin; i < rows.end; ++i) shared_row(a, batch, i, limit, values);
  });
}

}  // namespace
}  // namespace emgnn::kernels
