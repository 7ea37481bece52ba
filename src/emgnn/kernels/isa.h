// SPDX-License-Identifier: Apache-2.0
// Which instruction set the kernels use. Chosen once for this CPU; results of different sets differ
// by rounding.
#pragma once

namespace emgnn::kernels {

enum class Isa { kBaseline, kAvx2, kAvx512 };

Isa best_isa();     // the widest set that this CPU runs and EMGNN_ISA=baseline|avx2|avx512 allows
Isa isa();          // the set in use
void set_isa(Isa);  // for tests; UsageError if this CPU does not run it

}  // namespace emgnn::kernels
