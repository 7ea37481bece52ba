// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

void accumulate_range(double weight, const float* x, double* sum, Range elements) {
  EMGNN_IVDEP
  for (int64_t i = elements.begin; i < elements.end; ++i)
    sum[i] += weight * static_cast<double>(x[i]);
}

}  // namespace
}  // namespace emgnn::kernels
