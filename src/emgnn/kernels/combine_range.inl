// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

constexpr int kCombineVectors = 4;

void combine_range(const CombineShape& s, const float* coef, const float* scale, const float* term,
                   float* out, Range rows) {
  const int64_t plane = s.num_rows * s.width;
  for (int64_t g = 0; g < s.num_graphs; ++g) {
    const float* c = coef + g * s.num_terms;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      for_blocks<kCombineVectors>(s.width, [&](auto acc, int64_t offset, int last) {
        const float* x = term + i * s.width + offset;
        acc.zero();
        for (int64_t t = 0; t < s.num_terms; ++t) acc.add_scaled(c[t], x + t * plane, last);
        acc.scale(scale[g * s.num_rows + i]);
        acc.write(out + g * plane + i * s.width + offset, last);
      });
    }
  }
}

void combine_backward_range(const CombineShape& s, const float* coef, const float* scale,
                            const float* grad_out, float* grad_term, Range rows) {
  const int64_t plane = s.num_rows * s.width;
  for (int64_t g = 0; g < s.num_graphs; ++g) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const float row_scale = scale[g * s.num_rows + i];
      for_blocks<kCombineVectors>(s.width, [&](auto acc, int64_t offset, int last) {
        const float* y = grad_out + g * plane + i * s.width + offset;
        for (int64_t t = 0; t < s.num_terms; ++t) {
          float* x = grad_term + t * plane + i * s.width + offset;
          if (g == 0) {
            acc.zero();
          } else {
            acc.read(x, last);
          }
          acc.add_scaled(coef[g * s.num_terms + t] * row_scale, y, last);
          acc.write(x, last);
        }
      });
    }
  }
}

}  // namespace
}  // namespace emgnn::kernels
