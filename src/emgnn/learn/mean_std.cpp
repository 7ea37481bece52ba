// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/mean_std.h>

#include <cmath>
#include <numeric>

#include <emgnn/base/error.h>

namespace emgnn {

MeanStd mean_std(std::span<const double> values) {
  EMGNN_DCHECK(!values.empty());
  const auto n = static_cast<double>(values.size());
  MeanStd out;
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return out;
  double squares = 0.0;
  for (double v : values) squares += (v - out.mean) * (v - out.mean);
  out.std = std::sqrt(squares / (n - 1.0));
  return out;
}

}  // namespace emgnn
