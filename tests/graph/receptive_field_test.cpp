// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/receptive_field.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

Csr random_pattern(int32_t num_nodes, int num_entries) {
  Rng rng(3, Stream::kTest);
  Coo coo;
  for (int e = 0; e < num_entries; ++e) {
    coo.row.push_back(static_cast<int32_t>(rng.below(uint64_t(num_nodes))));
    coo.col.push_back(static_cast<int32_t>(rng.below(uint64_t(num_nodes))));
  }
  for (int32_t i = 0; i < num_nodes; ++i) {
    coo.row.push_back(i);
    coo.col.push_back(i);
  }
  return csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst);
}

// y[i] = Σ_e w[entry[e]] x[col[e]]: whole numbers, so that equality is exact.
std::vector<int64_t> apply(const Csr& pattern, const std::vector<int32_t>* entry,
                           const std::vector<int64_t>& x) {
  std::vector<int64_t> y(size_t(pattern.num_rows), 0);
  for (size_t i = 0; i < y.size(); ++i) {
    for (int32_t e = pattern.rowptr[i]; e < pattern.rowptr[i + 1]; ++e) {
      const int64_t weight = (entry != nullptr ? (*entry)[size_t(e)] : e) % 7 + 1;
      y[i] += weight * x[size_t(pattern.col[size_t(e)])];
    }
  }
  return y;
}

TEST(ReceptiveField, PrunedRowsEqualTheFullComputation) {
  const int32_t n = 200;
  const Csr pattern = random_pattern(n, 300);
  const std::vector<int32_t> targets = {17, 3, 150};
  for (const int num_hops : {1, 2, 3}) {
    const std::vector<Hop> hops = receptive_field(pattern, targets, num_hops);
    ASSERT_EQ(hops.size(), size_t(num_hops));
    std::vector<int64_t> full(n);
    for (int32_t i = 0; i < n; ++i) full[size_t(i)] = i * 31 % 101;
    std::vector<int64_t> pruned;
    for (const int32_t i : hops[0].input_rows) pruned.push_back(full[size_t(i)]);
    for (const Hop& hop : hops) {
      full = apply(pattern, nullptr, full);
      pruned = apply(hop.pattern, &hop.entry, pruned);
    }
    EXPECT_EQ(hops.back().output_rows, targets);
    EXPECT_LT(hops[0].input_rows.size(), size_t(n));
    for (size_t k = 0; k < targets.size(); ++k) EXPECT_EQ(pruned[k], full[size_t(targets[k])]);
  }
}

TEST(ReceptiveField, ChainsItsRowSetsAndFindsItself) {
  const Csr pattern = random_pattern(80, 160);
  const std::vector<Hop> hops = receptive_field(pattern, std::vector<int32_t>{5, 2}, 3);
  for (size_t k = 0; k < hops.size(); ++k) {
    if (k > 0) {
      EXPECT_EQ(hops[k].input_rows, hops[k - 1].output_rows);
    }
    ASSERT_EQ(hops[k].self.size(), hops[k].output_rows.size());
    for (size_t i = 0; i < hops[k].self.size(); ++i)
      EXPECT_EQ(hops[k].input_rows[size_t(hops[k].self[i])], hops[k].output_rows[i]);
  }
}

TEST(ReceptiveField, TheWholeGraphIsAHopToRepeatAndOneToTheTargets) {
  const int32_t n = 40;
  const Csr pattern = random_pattern(n, 30);
  const std::vector<int32_t> targets = {17, 3};
  const std::vector<Hop> hops = receptive_field(pattern, targets, kWholeGraph);
  ASSERT_EQ(hops.size(), 2U);
  EXPECT_EQ(hops[0].pattern.rowptr, pattern.rowptr);
  EXPECT_EQ(hops[0].pattern.col, pattern.col);
  EXPECT_EQ(hops[0].input_rows.size(), size_t(n));
  EXPECT_EQ(hops[0].input_rows, hops[0].output_rows);
  EXPECT_EQ(hops[1].input_rows, hops[0].output_rows);
  EXPECT_EQ(hops[1].output_rows, targets);
  EXPECT_EQ(hops[1].self, targets);
}

TEST(ReceptiveField, RejectsBadTargetsAndAMissingDiagonal) {
  const Csr pattern = random_pattern(5, 4);
  EXPECT_THROW(receptive_field(pattern, std::vector<int32_t>{5}, 1), UsageError);
  EXPECT_THROW(receptive_field(pattern, std::vector<int32_t>{1, 1}, 1), UsageError);
  EXPECT_THROW(receptive_field(remove_diagonal(pattern), std::vector<int32_t>{1}, 1), UsageError);
  EXPECT_TRUE(receptive_field(pattern, std::vector<int32_t>{1}, 0).empty());
}

}  // namespace
}  // namespace emgnn
