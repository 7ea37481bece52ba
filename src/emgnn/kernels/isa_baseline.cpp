// SPDX-License-Identifier: Apache-2.0
// The range kernels for one instruction set; the compiler flags are in src/emgnn/CMakeLists.txt.
#define EMGNN_LANES 4         // floats in a vector
#define EMGNN_SPMM_VECTORS 8  // accumulators of a sparse row
#define EMGNN_GEMM_ROWS 4     // rows and vectors of a dense tile; their product fits the registers
#define EMGNN_GEMM_VECTORS 2
#include <emgnn/kernels/ranges.inl>

namespace emgnn::kernels {
const RangeKernels kBaselineRanges = kRanges;
}  // namespace emgnn::kernels
