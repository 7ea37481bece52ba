// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/target_scale.h>

#include <cmath>
#include <vector>

#include <emgnn/base/error.h>

namespace emgnn {

TargetScale TargetScale::fit(std::span<const double> target) {
  std::vector<double> known;
  for (double y : target)
    if (!std::isnan(y)) known.push_back(y);
  TargetScale scale;
  const auto n = static_cast<double>(known.size());
  for (double y : known) scale.mean += y / n;
  double variance = 0.0;
  for (double y : known) variance += (y - scale.mean) * (y - scale.mean) / n;
  if (!std::isfinite(variance))
    throw DataError("the targets of the training rows are too large to be standardised");
  if (variance > 0.0) scale.std = std::sqrt(variance);
  return scale;
}

}  // namespace emgnn
