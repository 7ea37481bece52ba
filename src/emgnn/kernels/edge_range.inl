// SPDX-License-Identifier: Apache-2.0
// Scores and softmax: the vector loop is over the heads, whose values lie side by side. Sums over
// neighbours: it is over the columns of one head.
namespace emgnn::kernels {
namespace {

inline const float* block_of(const PerGraph& array, int64_t graph) {
  return array.data == nullptr ? nullptr : array.data + graph * array.stride;
}

inline bool has(const float* weight, int32_t e) { return weight == nullptr || weight[e] != 0.0F; }

inline int32_t number_of(const EdgeSum& sum, int32_t k) {
  return sum.entry == nullptr ? k : sum.entry[k];
}

inline int64_t num_entries(const CsrView& a) { return a.rowptr[a.num_rows]; }

// e^x for x <= 0 in every lane.
inline Vec exp_negative(Vec x) {
  using Bits = uint32_t __attribute__((vector_size(4 * EMGNN_LANES)));
  const ExpParts<Vec> e = exp_parts<Bits>(x);
  return e.power * e.rest + e.power;
}

void edge_scores_range(const EdgeBatch& batch, const EdgeScores& scores, float* out, int64_t graph,
                       Range rows) {
  const CsrView a = batch.pattern;
  const int64_t heads = batch.heads;
  const float* weight = block_of(batch.weight, graph);
  const float* left = block_of(scores.left, graph);
  const float* right = block_of(scores.right, graph);
  const float* term = scores.type == nullptr ? nullptr : scores.term;
  float* y = out + graph * num_entries(a) * heads;
  for_blocks<1>(heads, [&](auto block, int64_t offset, int last) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const Vec own = block.load_one(left + i * heads + offset, 0, last);
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e) {
        Vec x = {};
        if (has(weight, e)) {
          x = own + block.load_one(right + a.col[e] * heads + offset, 0, last);
          if (term != nullptr) x += block.load_one(term + scores.type[e] * heads + offset, 0, last);
        }
        block.v[0] = x > 0.0F ? x : scores.slope * x;
        block.write(y + e * heads + offset, last);
      }
    }
  });
}

// out[i,h] (+)= Σ_e f'(e,h) grad_out[e,h] over the entries of row i
void edge_scores_sum_range(const EdgeSum& sum, const EdgeScoreSlopes& slopes, int64_t graph,
                           Range rows, bool accumulate) {
  const CsrView a = sum.a;
  const int64_t heads = sum.heads;
  const float* weight = block_of(sum.weight, graph);
  const int64_t first = graph * num_entries(a) * heads;
  float* out = sum.out + graph * sum.out_stride;
  for_blocks<1>(heads, [&](auto acc, int64_t offset, int last) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      acc.zero();
      if (accumulate) acc.read(out + i * heads + offset, last);
      for (int32_t k = a.rowptr[i]; k < a.rowptr[i + 1]; ++k) {
        const int32_t e = number_of(sum, k);
        if (!has(weight, e)) continue;
        const int64_t at = first + e * heads + offset;
        const Vec y = acc.load_one(slopes.out + at, 0, last);
        const Vec grad = acc.load_one(slopes.grad_out + at, 0, last);
        acc.v[0] += y > 0.0F ? grad : slopes.slope * grad;
      }
      acc.write(out + i * heads + offset, last);
    }
  });
}

// One row of one graph, for the heads of one block; x and y begin at the block's first head.
template <class Lanes>
inline void softmax_row(Lanes lanes, int last, int64_t heads, const float* weight, int32_t begin,
                        int32_t end, const float* x, float* y) {
  Vec top = Vec{} - __builtin_inff();
  for (int32_t e = begin; e < end; ++e)
    if (has(weight, e)) {
      const Vec score = lanes.load_one(x + e * heads, 0, last);
      top = score > top ? score : top;
    }
  Vec total = {};
  for (int32_t e = begin; e < end; ++e) {
    lanes.zero();
    if (has(weight, e)) lanes.v[0] = exp_negative(lanes.load_one(x + e * heads, 0, last) - top);
    total += lanes.v[0];
    lanes.write(y + e * heads, last);
  }
  const Vec inverse = 1.0F / total;
  for (int32_t e = begin; e < end; ++e) {
    if (!has(weight, e)) continue;
    lanes.v[0] = inverse * lanes.load_one(y + e * heads, 0, last);
    lanes.write(y + e * heads, last);
  }
}

void edge_softmax_range(const EdgeBatch& batch, const float* in, float* out, int64_t graph,
                        Range rows) {
  const CsrView a = batch.pattern;
  const int64_t first = graph * num_entries(a) * batch.heads;
  for_blocks<1>(batch.heads, [&](auto lanes, int64_t offset, int last) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      softmax_row(lanes, last, batch.heads, block_of(batch.weight, graph), a.rowptr[i],
                  a.rowptr[i + 1], in + first + offset, out + first + offset);
  });
}

void edge_softmax_backward_range(const EdgeBatch& batch, const float* out, const float* grad_out,
                                 float* grad_in, int64_t graph, Range rows) {
  const CsrView a = batch.pattern;
  const int64_t heads = batch.heads;
  const float* weight = block_of(batch.weight, graph);
  const int64_t first = graph * num_entries(a) * heads;
  for_blocks<1>(heads, [&](auto lanes, int64_t offset, int last) {
    const float* y = out + first + offset;
    const float* grad = grad_out + first + offset;
    float* result = grad_in + first + offset;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      Vec mean = {};
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e)
        if (has(weight, e))
          mean +=
              lanes.load_one(y + e * heads, 0, last) * lanes.load_one(grad + e * heads, 0, last);
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e) {
        lanes.zero();
        if (has(weight, e))
          lanes.v[0] = lanes.load_one(y + e * heads, 0, last) *
                       (lanes.load_one(grad + e * heads, 0, last) - mean);
        lanes.write(result + e * heads, last);
      }
    }
  });
}

// Fetches the input row of an entry some places ahead; entries up to `limit` exist.
inline void prefetch_row(const CsrView& a, int32_t k, int32_t limit, const float* in,
                         int64_t row_width) {
  if (k + kPrefetchDistance >= limit) return;
  const float* ahead = in + a.col[k + kPrefetchDistance] * row_width;
  for (int64_t j = 0; j < row_width; j += 16) __builtin_prefetch(ahead + j);
}

// A row on its way through its entries.
template <class Acc>
struct RowInWork {
  Acc acc;
  int64_t row;  // -1: none
  int32_t k, end;
};

// Calls begin(acc, row), add(acc, k) for the entries k of the row in their order, and finish(acc,
// row). Four rows go at once: each sum waits for its last term, but not for those of other rows.
template <class Acc, class Begin, class Add, class Finish>
inline void four_rows_at_once(const CsrView& a, Range rows, Acc /*kind*/, const Begin& begin,
                              const Add& add, const Finish& finish) {
  RowInWork<Acc> work[4];
  int64_t next = rows.begin;
  const auto take = [&](RowInWork<Acc>& w) {
    while (next < rows.end) {
      w.row = next++;
      w.k = a.rowptr[w.row];
      w.end = a.rowptr[w.row + 1];
      begin(w.acc, w.row);
      if (w.k < w.end) return true;
      finish(w.acc, w.row);
    }
    w.row = -1;
    return false;
  };
  bool all = true;
  for (RowInWork<Acc>& w : work) all = take(w) && all;
  while (all) {
    int32_t count = work[0].end - work[0].k;
    for (const RowInWork<Acc>& w : work) count = w.end - w.k < count ? w.end - w.k : count;
    Acc a0 = work[0].acc, a1 = work[1].acc, a2 = work[2].acc, a3 = work[3].acc;
    const int32_t k0 = work[0].k, k1 = work[1].k, k2 = work[2].k, k3 = work[3].k;
    for (int32_t t = 0; t < count; ++t) {
      add(a0, k0 + t);
      add(a1, k1 + t);
      add(a2, k2 + t);
      add(a3, k3 + t);
    }
    work[0].acc = a0, work[1].acc = a1, work[2].acc = a2, work[3].acc = a3;
    for (RowInWork<Acc>& w : work) {
      w.k += count;
      if (w.k < w.end) continue;
      finish(w.acc, w.row);
      all = take(w) && all;
    }
  }
  for (RowInWork<Acc>& w : work) {
    if (w.row < 0) continue;
    for (int32_t k = w.k; k < w.end; ++k) add(w.acc, k);
    finish(w.acc, w.row);
  }
}

// The same as below for one head of at most one vector on whole graphs.
void edge_aggregate_narrow(const EdgeSum& sum, const EdgeAggregate& aggregate, int64_t graph,
                           Range rows, bool accumulate) {
  const CsrView a = sum.a;
  const int64_t width = aggregate.width;
  const float* values = aggregate.values + graph * num_entries(a);
  const float* in = block_of(aggregate.in, graph);
  float* out = sum.out + graph * sum.out_stride;
  for_blocks<1>(width, [&](auto kind, int64_t, int last) {
    four_rows_at_once(
        a, rows, kind,
        [&](auto& acc, int64_t row) {
          acc.zero();
          if (accumulate) acc.read(out + row * width, last);
        },
        [&](auto& acc, int32_t k) {
          acc.add_scaled(values[number_of(sum, k)], in + a.col[k] * width, last);
        },
        [&](auto& acc, int64_t row) { acc.write(out + row * width, last); });
  });
}

// out[i,h·D:] (+)= Σ_e values[e,h] in[col(e),h·D:] over the entries of row i
void edge_aggregate_range(const EdgeSum& sum, const EdgeAggregate& aggregate, int64_t graph,
                          Range rows, bool accumulate) {
  const CsrView a = sum.a;
  const int64_t heads = sum.heads, width = aggregate.width, row_width = heads * width;
  const int32_t limit = a.rowptr[rows.end];
  const float* weight = block_of(sum.weight, graph);
  if (weight == nullptr && row_width <= kLanes && heads == 1)
    return edge_aggregate_narrow(sum, aggregate, graph, rows, accumulate);
  const float* values = aggregate.values + graph * num_entries(a) * heads;
  const float* in = block_of(aggregate.in, graph);
  for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      float* out = sum.out + graph * sum.out_stride + i * row_width;
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t column = h * width + offset;
        acc.zero();
        if (accumulate) acc.read(out + column, last);
        for (int32_t k = a.rowptr[i]; k < a.rowptr[i + 1]; ++k) {
          if (h == 0) prefetch_row(a, k, limit, in, row_width);
          const int32_t e = number_of(sum, k);
          if (has(weight, e))
            acc.add_scaled(values[e * heads + h], in + a.col[k] * row_width + column, last);
        }
        acc.write(out + column, last);
      }
    }
  });
}

// grad_values[e,h] = Σ_d grad_out[row(e),h·D+d] in[col(e),h·D+d]
void edge_dot_range(const EdgeBatch& batch, const EdgeAggregate& aggregate, const float* grad_out,
                    float* grad_values, int64_t graph, Range rows) {
  const CsrView a = batch.pattern;
  const int64_t heads = batch.heads, width = aggregate.width, row_width = heads * width;
  const int32_t limit = a.rowptr[rows.end];
  const float* weight = block_of(batch.weight, graph);
  const float* in = block_of(aggregate.in, graph);
  for_blocks<kSpmmVectors>(width, [&](auto own, int64_t offset, int last) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const float* grad = grad_out + (graph * a.num_rows + i) * row_width + offset;
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e) {
        prefetch_row(a, e, limit, in, row_width);
        const float* row = in + a.col[e] * row_width + offset;
        float* value = grad_values + (graph * num_entries(a) + e) * heads;
        const bool present = has(weight, e);
        for (int64_t h = 0; h < heads; ++h) {
          float sum = offset == 0 ? 0.0F : value[h];
          if (present) {
            own.read(grad + h * width, last);
            sum += own.dot(row + h * width, last);
          }
          value[h] = sum;
        }
      }
    }
  });
}

}  // namespace
}  // namespace emgnn::kernels
