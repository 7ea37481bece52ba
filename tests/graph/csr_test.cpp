// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/csr.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

using Dense = std::map<std::pair<int32_t, int32_t>, float>;

Dense dense(const Csr& a) {
  Dense d;
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (int32_t e = a.rowptr[size_t(i)]; e < a.rowptr[size_t(i) + 1]; ++e)
      d[{i, a.col[size_t(e)]}] = a.value(e);
  return d;
}

Coo random_coo(int32_t num_rows, int32_t num_cols, int num_entries, bool with_values) {
  Rng rng(11, Stream::kTest);
  Coo coo;
  for (int e = 0; e < num_entries; ++e) {
    coo.row.push_back(static_cast<int32_t>(rng.below(uint64_t(num_rows))));
    coo.col.push_back(static_cast<int32_t>(rng.below(uint64_t(num_cols))));
    if (with_values) coo.val.push_back(static_cast<float>(rng.below(100)) + 1.0F);
  }
  return coo;
}

void expect_canonical(const Csr& a) {
  ASSERT_EQ(a.rowptr.size(), size_t(a.num_rows) + 1);
  EXPECT_EQ(a.rowptr.back(), a.num_entries());
  for (size_t i = 0; i < size_t(a.num_rows); ++i)
    for (int32_t e = a.rowptr[i] + 1; e < a.rowptr[i + 1]; ++e)
      EXPECT_LT(a.col[size_t(e) - 1], a.col[size_t(e)]);
}

std::string message_of(const Coo& coo) {
  try {
    csr_from_coo(3, 4, coo, Duplicates::kSum);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CsrFromCoo, MergesDuplicatesAsAsked) {
  for (const bool with_values : {false, true}) {
    const Coo coo = random_coo(20, 13, 500, with_values);
    Dense sum, first, largest;
    for (size_t e = 0; e < coo.row.size(); ++e) {
      const std::pair<int32_t, int32_t> key{coo.row[e], coo.col[e]};
      const float v = with_values ? coo.val[e] : 1.0F;
      sum[key] += v;
      first.try_emplace(key, v);
      largest[key] = std::max(largest[key], v);
    }
    for (const auto& [rule, expected] : {std::pair{Duplicates::kSum, sum},
                                         {Duplicates::kKeepFirst, first},
                                         {Duplicates::kKeepMax, largest}}) {
      const Csr a = csr_from_coo(20, 13, coo, rule);
      expect_canonical(a);
      EXPECT_EQ(dense(a), expected);
      EXPECT_EQ(a.val.empty(), !with_values && rule != Duplicates::kSum);
    }
  }
}

TEST(CsrFromCoo, HandlesEmptyMatrices) {
  EXPECT_EQ(csr_from_coo(0, 0, {}, Duplicates::kSum).rowptr, std::vector<int32_t>{0});
  EXPECT_EQ(csr_from_coo(2, 5, {}, Duplicates::kSum).rowptr, (std::vector<int32_t>{0, 0, 0}));
}

TEST(CsrFromCoo, NamesTheBadEntry) {
  EXPECT_EQ(message_of({.row = {0, 3}, .col = {0, 0}, .val = {}}),
            "entry 1: row 3 is outside [0, 3)");
  EXPECT_EQ(message_of({.row = {0, 1, 2}, .col = {0, 1, -1}, .val = {}}),
            "entry 2: column -1 is outside [0, 4)");
  EXPECT_NE(message_of({.row = {0}, .col = {}, .val = {}}), "no error");
  EXPECT_NE(message_of({.row = {0}, .col = {0}, .val = {1, 2}}), "no error");
}

TEST(CsrFromCoo, BuildsAMillionEdges) {
  const Csr a = csr_from_coo(100000, 100000, random_coo(100000, 100000, 1000000, false),
                             Duplicates::kKeepFirst);
  expect_canonical(a);
  const Csr s = symmetrise(a);
  EXPECT_TRUE(is_symmetric(s));
  EXPECT_GT(s.num_entries(), a.num_entries());
}

TEST(CsrRow, RunsOverTheEntriesOfOneRow) {
  // Row 1 is empty.
  const Csr a = csr_from_coo(3, 5, {.row = {0, 2, 2, 0}, .col = {4, 1, 3, 2}, .val = {1, 2, 3, 4}},
                             Duplicates::kSum);
  Dense seen;
  for (int32_t i = 0; i < a.num_rows; ++i) {
    const CsrRow row = a.row(i);
    EXPECT_EQ(row.begin_entry, a.rowptr[size_t(i)]);
    EXPECT_EQ(row.end_entry, a.rowptr[size_t(i) + 1]);
    EXPECT_EQ(row.col.size(), i == 1 ? 0U : 2U);
    int32_t next = row.begin_entry;
    for (const auto [e, j] : row) {
      EXPECT_EQ(e, next++);
      EXPECT_EQ(j, a.col[size_t(e)]);
      seen[{i, j}] = a.value(e);
    }
    EXPECT_EQ(next, row.end_entry);
  }
  EXPECT_EQ(seen, dense(a));
  std::vector<int32_t> columns;
  for (const int32_t j : a.row(2).col) columns.push_back(j);
  EXPECT_EQ(columns, (std::vector<int32_t>{1, 3}));
}

TEST(Transpose, SwapsIndicesAndRemembersPositions) {
  for (const bool with_values : {false, true}) {
    const Csr a = csr_from_coo(20, 13, random_coo(20, 13, 90, with_values), Duplicates::kKeepFirst);
    const Transposed t = transpose(a);
    expect_canonical(t.csr);
    Dense back;
    for (const auto& [key, v] : dense(t.csr)) back[{key.second, key.first}] = v;
    EXPECT_EQ(back, dense(a));
    ASSERT_EQ(t.entry.size(), a.col.size());
    for (int32_t i = 0; i < t.csr.num_rows; ++i)
      for (int32_t k = t.csr.rowptr[size_t(i)]; k < t.csr.rowptr[size_t(i) + 1]; ++k)
        EXPECT_EQ(a.col[size_t(t.entry[size_t(k)])], i);
    EXPECT_EQ(transpose(t.csr).csr.col, a.col);
  }
}

TEST(Symmetrise, KeepsTheLargerOfBothValues) {
  const Csr a = csr_from_coo(12, 12, random_coo(12, 12, 60, true), Duplicates::kKeepFirst);
  Dense expected = dense(a);
  for (const auto& [key, v] : dense(a)) {
    float& mirrored = expected[{key.second, key.first}];
    mirrored = std::max(mirrored, v);
  }
  const Csr s = symmetrise(a);
  expect_canonical(s);
  EXPECT_EQ(dense(s), expected);
  EXPECT_FALSE(is_symmetric(a));
  EXPECT_TRUE(is_symmetric(s));
}

TEST(Diagonal, IsRemovedAndAdded) {
  const Csr a = csr_from_coo(9, 9, random_coo(9, 9, 40, true), Duplicates::kSum);
  Dense without = dense(a), with = dense(a);
  for (int32_t i = 0; i < 9; ++i) {
    without.erase({i, i});
    with[{i, i}] += 0.5F;
  }
  EXPECT_EQ(dense(remove_diagonal(a)), without);
  EXPECT_EQ(dense(add_diagonal(a, 0.5F)), with);
  expect_canonical(add_diagonal(a, 0.5F));
}

TEST(Normalise, DividesByRowSumsAndLeavesZeroRows) {
  const Csr a = csr_from_coo(3, 3, {.row = {0, 0, 2, 1}, .col = {0, 2, 1, 2}, .val = {1, 3, 4, 0}},
                             Duplicates::kSum);
  EXPECT_EQ(row_sums(a), (std::vector<double>{4, 0, 4}));
  EXPECT_EQ(dense(normalise_rows(a)),
            (Dense{{{0, 0}, 0.25F}, {{0, 2}, 0.75F}, {{1, 2}, 0.0F}, {{2, 1}, 1.0F}}));
  EXPECT_EQ(dense(normalise_symmetric(a)),
            (Dense{{{0, 0}, 0.25F}, {{0, 2}, 0.75F}, {{1, 2}, 0.0F}, {{2, 1}, 0.0F}}));
}

TEST(SelectRows, TakesThemInTheGivenOrder) {
  const Csr a = csr_from_coo(6, 5, random_coo(6, 5, 14, true), Duplicates::kSum);
  const std::vector<int32_t> ids = {4, 0, 4};
  const Csr picked = select_rows(a, ids);
  expect_canonical(picked);
  Dense expected;
  for (const auto& [key, v] : dense(a))
    for (int32_t k = 0; k < 3; ++k)
      if (ids[size_t(k)] == key.first) expected[{k, key.second}] = v;
  EXPECT_EQ(dense(picked), expected);
  EXPECT_THROW(select_rows(a, std::vector<int32_t>{6}), UsageError);
}

}  // namespace
}  // namespace emgnn
