// SPDX-License-Identifier: Apache-2.0
namespace emgnn::kernels {
namespace {

void adam_range(const AdamFactors& f, const float* grad, float* param, float* m, float* v,
                Range elements) {
  EMGNN_IVDEP
  for (int64_t i = elements.begin; i < elements.end; ++i) {
    const float g = grad[i] + f.weight_decay * param[i];
    const float m1 = f.beta1 * m[i] + f.one_minus_beta1 * g;
    const float v1 = f.beta2 * v[i] + f.one_minus_beta2 * (g * g);
    m[i] = m1;
    v[i] = v1;
    param[i] -= f.step_size * m1 / (__builtin_sqrtf(v1) * f.inv_root_correction + f.epsilon);
  }
}

}  // namespace
}  // namespace emgnn::kernels
