// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/matrix_market.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;

TEST(MatrixMarket, ReadsCommentsBlankLinesAndWindowsLineEnds) {
  const MatrixMarket m = parse_matrix_market(
      "%%MatrixMarket MATRIX coordinate real symmetric\r\n% a comment\r\n\r\n3 2 2\r\n"
      " 1\t2 -1.5e1\r\n\r\n3 1 4 \r\n",
      "m");
  EXPECT_EQ(m.num_rows, 3);
  EXPECT_EQ(m.num_cols, 2);
  EXPECT_TRUE(m.symmetric);
  EXPECT_EQ(m.entries.row, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(m.entries.col, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(m.entries.val, (std::vector<float>{-15.0F, 4.0F}));
}

TEST(MatrixMarket, WhatIsWrittenIsReadBack) {
  const Csr weighted{.num_rows = 2,
                     .num_cols = 3,
                     .rowptr = {0, 2, 3},
                     .col = {0, 2, 1},
                     .val = {0.1F, -2, 3e30F}};
  Csr pattern = weighted;
  pattern.val.clear();
  for (const Csr& matrix : {weighted, pattern}) {
    const MatrixMarket back = parse_matrix_market(write_matrix_market(matrix), "m");
    EXPECT_EQ(back.entries.row, (std::vector<int32_t>{0, 0, 1}));
    EXPECT_EQ(back.entries.col, matrix.col);
    EXPECT_EQ(back.entries.val, matrix.val);
    EXPECT_FALSE(back.symmetric);
  }
}

TEST(MatrixMarket, ErrorsNameFileAndLine) {
  const auto check = [](const std::string& rest, std::initializer_list<std::string_view> pieces) {
    SCOPED_TRACE(rest);
    const std::string text = "%%MatrixMarket matrix coordinate real general\n" + rest;
    expect_error<DataError>([&] { parse_matrix_market(text, "m"); }, pieces);
  };
  check("", {"m: line 1: expected rows, columns"});
  check("% only a comment", {"m: line 2: expected rows, columns"});
  check("2 2 -1\n", {"m: line 2: expected rows, columns"});
  check("2 2 99999999\n", {"m: line 2: 99999999 entries do not fit"});
  check("2 2 1\n1 3 1\n", {"m: line 3: the entry lies outside 2 x 2"});
  check("2 2 1\n1 1 nan\n", {"m: line 3: the value is not finite"});
  check("2 2 1\n1 1 1e39\n", {"m: line 3: the value is not finite"});
  check("2 2 1\n1 1 1 1\n", {"m: line 3: text after the entry"});
  check("2 2 2\n1 1 1\n", {"m: line 3: 1 entries, but the header announces 2"});
}

}  // namespace
}  // namespace emgnn
