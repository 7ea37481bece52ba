// SPDX-License-Identifier: Apache-2.0
// Symmetric positive definite matrices [n, n], row-major, float64. The same bits for any number of
// threads; `poll` is called at least every few tenths of a second, and may throw.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace emgnn {

// A = L Lᵀ, in place: only what is below and on the diagonal is read and written. Error when A is
// not positive definite.
void cholesky(std::vector<double>& matrix, size_t n, const std::function<void()>& poll);

// (L⁻¹)ᵀ: row j is column j of L⁻¹, 0 before the diagonal.
std::vector<double> inverse_transposed(const std::vector<double>& factor, size_t n,
                                       const std::function<void()>& poll);

}  // namespace emgnn
