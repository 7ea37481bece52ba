// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

void segment_max_range(const CsrView& a, int64_t width, const float* in, float* out,
                       Range segments) {
  for_blocks<kSpmmVectors>(width, [&](auto acc, int64_t offset, int last) {
    for (int64_t s = segments.begin; s < segments.end; ++s) {
      acc.read(in + a.col[a.rowptr[s]] * width + offset, last);
      for (int32_t e = a.rowptr[s] + 1; e < a.rowptr[s + 1]; ++e)
        acc.max_with(in + a.col[e] * width + offset, last);
      acc.write(out + s * width + offset, last);
    }
  });
}

}  // namespace
}  // namespace emgnn::kernels
