// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/descriptors.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

void check(const Molecules& molecules) {
  if (molecules.has_descriptors()) return;
  throw UsageError(
      "the molecules have no descriptors and fingerprints; featurise them (chemistry.h)");
}

}  // namespace

DescriptorScale DescriptorScale::fit(const Molecules& molecules, std::span<const int32_t> some) {
  check(molecules);
  DescriptorScale scale;
  for (size_t d = 0; d < size_t{kNumDescriptors}; ++d) {
    std::vector<double> known;
    for (int32_t m : some) {
      const double x = molecules.descriptors_of(m)[d];
      if (std::isfinite(x)) known.push_back(x);
    }
    const auto n = static_cast<double>(known.size());
    double mean = 0.0, variance = 0.0;
    for (double x : known) mean += x / n;
    for (double x : known) variance += (x - mean) * (x - mean) / n;
    const bool differ =
        std::any_of(known.begin(), known.end(), [&](double x) { return x != known.front(); });
    scale.mean.push_back(mean);
    scale.factor.push_back(differ ? 1.0 / std::sqrt(variance) : 0.0);
  }
  return scale;
}

double DescriptorScale::standardise(float value, size_t column) const {
  if (!std::isfinite(value)) return 0.0;
  return std::clamp((value - mean[column]) * factor[column], -kLimit, kLimit);
}

FeatureRows descriptor_rows(const Molecules& molecules, std::span<const int32_t> some,
                            const DescriptorScale& scale) {
  check(molecules);
  FeatureRows out{
      .num_dense = kNumDescriptors,
      .dense = {},
      .sparse = {.num_rows = static_cast<int32_t>(some.size()), .num_cols = kFingerprintBits}};
  for (int32_t m : some) {
    const std::span<const float> descriptors = molecules.descriptors_of(m);
    for (size_t d = 0; d < descriptors.size(); ++d)
      out.dense.push_back(static_cast<float>(scale.standardise(descriptors[d], d)));
    const auto row = static_cast<size_t>(m);
    for (auto e = static_cast<size_t>(molecules.bit_begin[row]);
         e < static_cast<size_t>(molecules.bit_begin[row + 1]); ++e) {
      out.sparse.col.push_back(molecules.bit[e]);
      out.sparse.val.push_back(static_cast<float>(molecules.bit_count[e]));
    }
    out.sparse.rowptr.push_back(static_cast<int32_t>(out.sparse.col.size()));
  }
  return out;
}

}  // namespace emgnn
