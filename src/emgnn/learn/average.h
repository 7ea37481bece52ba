// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace emgnn {

// What is averaged over graphs to predict classes or labels.
enum class Average { kLogits, kProbabilities };

}  // namespace emgnn
