// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/entry_table.h>

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace emgnn {

namespace {

// Where bins of one width end; the widths double.
constexpr std::array<double, 3> kUpTo = {3.0, 6.0, 12.0};
constexpr double kFirstWidth = 0.25;

constexpr double kRadialStep = 0.5, kRadialWidth = 0.5;

void put_radial(double distance, float* out) {
  for (int32_t k = 0; k < kNumRadial; ++k) {
    const double off = (distance - kRadialStep * (k + 1)) / kRadialWidth;
    out[k] = static_cast<float>(std::exp(-0.5 * off * off));
  }
}

}  // namespace

int32_t distance_bin(double distance) {
  int32_t first = 0;
  double begin = 0.0, width = kFirstWidth;
  for (const double end : kUpTo) {
    if (distance < end) return first + static_cast<int32_t>((distance - begin) / width);
    first += static_cast<int32_t>((end - begin) / width);
    begin = end;
    width *= 2.0;
  }
  return first;
}

double bin_centre(int32_t bin) {
  double begin = 0.0, width = kFirstWidth;
  for (const double end : kUpTo) {
    const auto count = static_cast<int32_t>((end - begin) / width);
    if (bin < count) return begin + (bin + 0.5) * width;
    bin -= count;
    begin = end;
    width *= 2.0;
  }
  return begin + 0.25 * width;  // as if the open bin were as wide as the one before
}

EntryTable::EntryTable(const Molecules& molecules, bool distances)
    : num_bins_(distances ? kNumDistanceBins : 1) {
  using Row = std::array<float, kNumBondFeatures>;
  const auto row_at = [&](int64_t bond) {
    Row row;
    std::copy_n(molecules.bond_features.begin() + bond * kNumBondFeatures, row.size(), row.begin());
    return row;
  };
  std::map<Row, int32_t> sorts;
  for (int64_t b = 0; b < molecules.num_bonds(); ++b) sorts[row_at(b)] = 0;
  int32_t next = 0;
  for (auto& [row, number] : sorts) number = next++;
  for (int64_t b = 0; b < molecules.num_bonds(); ++b) sort_.push_back(sorts.at(row_at(b)));

  const int64_t width = kNumEntryFeatures + (distances ? kNumRadial : 0);
  rows_ = at::zeros({(int64_t{next} + 1) * num_bins_ + 1, width}, at::kFloat);
  float* out = rows_.data_ptr<float>();
  const auto put_bins = [&](const Row& row) {
    for (int32_t bin = 0; bin < num_bins_; ++bin, out += width) {
      std::copy(row.begin(), row.end(), out);
      if (distances) put_radial(bin_centre(bin), out + kNumEntryFeatures);
    }
  };
  put_bins({});
  out[kNumBondFeatures] = 1.0F;
  out += width;
  for (const auto& [row, number] : sorts) put_bins(row);
}

int32_t EntryTable::kind(int32_t bond, int32_t bin) const {
  const int32_t at = num_bins_ == 1 ? 0 : bin;
  return bond < 0 ? at : (sort_[static_cast<size_t>(bond)] + 1) * num_bins_ + 1 + at;
}

}  // namespace emgnn
