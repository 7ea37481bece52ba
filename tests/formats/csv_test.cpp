// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/csv.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;
using Rows = std::vector<std::vector<std::string>>;

Rows read_all(const std::string& text, char separator = ',') {
  Rows rows;
  CsvReader reader(text, "t.csv", separator);
  while (reader.next()) rows.emplace_back(reader.fields().begin(), reader.fields().end());
  return rows;
}

TEST(Csv, ReadsQuotesDoubledQuotesAndLinesWithinFields) {
  EXPECT_EQ(read_all("a,\"b, c\",\"d \"\"e\"\"\"\n\"x\ny\",\"\"\"\",\n"),
            (Rows{{"a", "b, c", "d \"e\""}, {"x\ny", "\"", ""}}));
}

TEST(Csv, ReadsBothLineEndsABlankLineAndNoFinalOne) {
  const Rows expected = {{"a", "b"}, {"1", "2"}, {"3", "4"}};
  EXPECT_EQ(read_all("a,b\n1,2\n3,4\n"), expected);
  EXPECT_EQ(read_all("a,b\r\n\r\n1,\"2\"\r\n3,4"), expected);
  EXPECT_EQ(read_all("\xef\xbb\xbf"
                     "a,b\n1,2\n3,4\r"),
            expected);
  EXPECT_EQ(read_all("\n\n"), Rows{});
}

TEST(Csv, KeepsViewsOfManyUnescapedFieldsOfOneRecordValid) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\"\"\"" + std::to_string(i) + "\",";
  const Rows rows = read_all(text + "end\n");
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(rows[0][i], "\"" + std::to_string(i));
}

TEST(Csv, ErrorsNameFileLineAndColumn) {
  expect_error<DataError>([] { read_all("a,b\n1,\"open\n"); },
                          {"t.csv", "line 2", "column 2", "not closed"});
  expect_error<DataError>([] { read_all("a\n\nb,x\"y\n"); }, {"line 3", "column 2"});
  expect_error<DataError>([] { read_all("\"a\"b\n"); }, {"line 1", "column 1"});
  expect_error<DataError>(
      [] {
        CsvTable table("id,x\n1,0.5\n2,half\n", "t.csv");
        while (table.next()) table.row().number(1, "x");
      },
      {"t.csv: line 3, column 2 (x)", "half"});
  expect_error<DataError>(
      [] {
        CsvTable table("id,x\n1\n", "t.csv");
        table.next();
      },
      {"line 2", "expected 2 fields, found 1"});
  expect_error<DataError>([] { CsvTable("", "t.csv"); }, {"t.csv", "empty"});
  expect_error<DataError>([] { CsvTable("a,a\n", "t.csv"); }, {"second column"});
  expect_error<DataError>([] { CsvTable("a,b\n", "t.csv").require("id"); }, {"\"id\"", "a, b"});
}

TEST(Csv, NumbersMustBeWholeFieldsAndFinite) {
  for (const char* bad :
       {"", " ", "1x", "1 2", "nan", "inf", "1e999", "0x10", "--1", "+", "+-1", "++1"}) {
    const std::string text = std::string("x,y\n") + bad + ",1\n";
    CsvTable table(text, "t");
    ASSERT_TRUE(table.next());
    EXPECT_THROW(table.row().number(0, "x"), DataError) << bad;
  }
}

TEST(Csv, NumbersMayHaveBlanksAroundAndAPlus) {
  CsvTable table("x,n\n 3.5\t,+4\n+3.5, 4 \n", "t");
  while (table.next()) {
    EXPECT_EQ(table.row().number(0, "x"), 3.5);
    EXPECT_EQ(table.row().integer(1, "n"), 4);
  }
}

TEST(Csv, TextThatIsNotUtf8IsRefusedWithItsLine) {
  EXPECT_NO_THROW(CsvReader("id\nZ\xc3\xbcrich\n\xe2\x82\xac\n\xf0\x9f\x98\x80\n", "f.csv"));
  for (const char* bad :
       {"\xfc", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    try {
      CsvReader("id\nfirst\n" + std::string(bad) + "\n", "f.csv");
      ADD_FAILURE() << "accepted";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("f.csv: line 3"), std::string::npos) << error.what();
    }
  }
}

TEST(Csv, EndsWhenTheUserWantsAnEnd) {
  std::string text;
  for (int line = 0; line < 10'000; ++line) text += "a,b\n";
  const Context::Scope scope{Context(1, Device::kCpu, [] { return true; })};
  CsvReader reader(text, "t.csv");
  EXPECT_THROW(while (reader.next()){}, Interrupted);
}

}  // namespace
}  // namespace emgnn
