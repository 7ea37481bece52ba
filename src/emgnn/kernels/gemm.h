// SPDX-License-Identifier: Apache-2.0
// Dense float32 products for tall, narrow matrices, the shape of every weight product of a graph
// network. The bits of the result do not depend on the number of threads, and no BLAS (nor its
// guess of the CPU) is involved.
#pragma once

#include <cstdint>

namespace emgnn::kernels {

// All matrices are row-major and contiguous.
void gemm(int64_t m, int64_t n, int64_t k, const float* a, const float* b,
          float* c);  // C[m,n] = A[m,k] B[k,n]
void gemm_nt(int64_t m, int64_t n, int64_t k, const float* a, const float* b,
             float* c);  // C[m,n] = A[m,k] B[n,k]ᵀ
void gemm_tn(int64_t m, int64_t n, int64_t k, const float* a, const float* b,
             float* c);  // C[m,n] = A[k,m]ᵀ B[k,n]

}  // namespace emgnn::kernels
