// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/bond_table.h>

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <map>

namespace emgnn {

BondTable::BondTable(const Molecules& molecules) {
  using Row = std::array<float, kNumBondFeatures>;
  const auto row_at = [&](int64_t bond) {
    Row row;
    std::copy_n(molecules.bond_features.begin() + bond * kNumBondFeatures, row.size(), row.begin());
    return row;
  };
  std::map<Row, int32_t> kinds;
  for (int64_t b = 0; b < molecules.num_bonds(); ++b) kinds[row_at(b)] = 0;
  rows = at::zeros({static_cast<int64_t>(kinds.size()) + 2, kNumEntryFeatures}, at::kFloat);
  float* out = rows.data_ptr<float>();
  out[kSelfLoop * kNumEntryFeatures + kNumBondFeatures] = 1.0F;
  int32_t next = kSelfLoop + 1;
  for (auto& [row, number] : kinds) {
    number = next++;
    std::copy(row.begin(), row.end(), out + int64_t{number} * kNumEntryFeatures);
  }
  for (int64_t b = 0; b < molecules.num_bonds(); ++b) row_of.push_back(kinds.at(row_at(b)));
}

}  // namespace emgnn
