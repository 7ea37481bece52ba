// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

// acc += Σ_j source_factor[j] in[source[j], 1, :] over the neighbours [from, to) of a row.
template <class Acc>
inline void add_neighbours(const BlockView& a, int64_t row, int32_t from, int32_t to,
                           const float* in, int64_t width, int last, Acc& acc) {
  const int32_t* list = a.neighbour + a.list[row];
  const int32_t base = a.base[row];
  for (int32_t e = from; e < to; ++e) {
    const int64_t place = base + list[e];
    const int64_t input = a.source == nullptr ? place : a.source[place];
    const float factor = a.source_factor == nullptr ? 1.0F : a.source_factor[place];
    acc.add_scaled(factor, in + (2 * input + 1) * width, last);
  }
}

void block_range(const BlockView& a, int64_t width, const float* in, float* out, Range rows) {
  for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
    auto sum = acc;
    int32_t done = 0;  // neighbours of the row before that acc has
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const bool continues = i > rows.begin && a.list[i] == a.list[i - 1] &&
                             a.base[i] == a.base[i - 1] && a.count[i] >= done;
      if (!continues) {
        acc.zero();
        done = 0;
      }
      add_neighbours(a, i, done, a.count[i], in + offset, width, last, acc);
      done = a.count[i];
      sum.read(in + 2 * int64_t{a.own[i]} * width + offset, last);
      sum.add_block(a.factor == nullptr ? 1.0F : a.factor[i], acc);
      sum.write(out + i * width + offset, last);
    }
  });
}

}  // namespace
}  // namespace emgnn::kernels
