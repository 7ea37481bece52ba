// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/pickle.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>

#include "data/expect_error.h"
#include "formats/pickle_writer.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::PickleWriter;
using testing::raw_bytes;
using std::string_literals::operator""s;

void expect_refused(const std::string& bytes, std::initializer_list<std::string_view> pieces) {
  expect_error<DataError>([&] { Pickle::parse(bytes, "some.pkl"); }, pieces);
}

class PickleProtocols : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(TwoAndThree, PickleProtocols, ::testing::Values(2, 3));

TEST_P(PickleProtocols, ReadsSparseMatricesByRowAndByColumn) {
  const PickleWriter w(GetParam());
  const PickleWriter::Sparse m{2, 3, {0, 2, 3}, {2, 0, 1}, {5, 1, 2}};
  const std::string bytes = w.file(w.sparse(m));
  const Csr csr = to_csr(Pickle::parse(bytes, "m").root().sparse(), "m");
  EXPECT_EQ(csr.num_rows, 2);
  EXPECT_EQ(csr.num_cols, 3);
  EXPECT_EQ(csr.rowptr, (std::vector<int32_t>{0, 2, 3}));
  EXPECT_EQ(csr.col, (std::vector<int32_t>{0, 2, 1}));
  EXPECT_EQ(csr.val, (std::vector<float>{1, 5, 2}));

  const PickleWriter::Sparse by_column{3, 2, {0, 2, 3}, {2, 0, 1}, {1, 1, 1}};
  const std::string csc = w.file(w.sparse(by_column, "csc"));
  const Csr turned = to_csr(Pickle::parse(csc, "m").root().sparse(), "m");
  EXPECT_EQ(turned.rowptr, (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(turned.col, (std::vector<int32_t>{0, 1, 0}));
  EXPECT_TRUE(turned.val.empty());
}

TEST_P(PickleProtocols, ReadsArraysOfBothOrders) {
  const PickleWriter w(GetParam());
  const std::string rows = w.file(w.array("i8", {2, 2}, raw_bytes<int64_t>({1, 2, 3, 4})));
  const std::string columns = w.file(w.array("i8", {2, 2}, raw_bytes<int64_t>({1, 3, 2, 4}), true));
  const std::vector<int32_t> expected = {1, 2, 3, 4};
  EXPECT_EQ(to_int32_matrix(Pickle::parse(rows, "a").root().array(), "a"), expected);
  EXPECT_EQ(to_int32_matrix(Pickle::parse(columns, "a").root().array(), "a"), expected);
}

TEST(Pickle, ReadsADefaultDictOfLists) {
  const std::string bytes = PickleWriter(2).file(PickleWriter::adjacency({{1}, {0, 300}, {}}));
  const Pickle pickle = Pickle::parse(bytes, "graph");
  ASSERT_EQ(pickle.root().size(), 3U);
  EXPECT_EQ(pickle.root().pair(1).first.integer(), 1);
  EXPECT_EQ(pickle.root().pair(1).second[1].integer(), 300);
  EXPECT_EQ(pickle.root().pair(2).second.size(), 0U);
}

TEST(Pickle, SharesObjectsThroughTheMemoEvenInACycle) {
  // l = []; l.append(l); l.append('ab'); l.append('ab')
  const std::string bytes = "\x80\x02]q\x01(h\x01U\x02"s + "abq\x02h\x02" + "e.";
  const Pickle pickle = Pickle::parse(bytes, "cycle");
  EXPECT_EQ(pickle.root()[0][0][1].text(), "ab");
  EXPECT_EQ(pickle.root()[2].text(), "ab");
}

TEST(Pickle, RefusesClassesAndOpcodesByName) {
  expect_refused("\x80\x02"s + "cos\nsystem\nU\x04true\x85R.",
                 {"some.pkl", "os.system", "refused"});
  expect_refused("\x80\x03"s + "cbuiltins\neval\n.", {"builtins.eval"});
  expect_refused("\x80\x02G\0\0\0\0\0\0\0\0."s, {"BINFLOAT"});
  expect_refused("\x80\x02\x93."s, {"STACK_GLOBAL", "byte 3"});
  expect_refused("\x80\x02\xff."s, {"0xff"});
  expect_refused("\x80\x04N."s, {"protocol 4"});
  // Known classes only in the one way that numpy and scipy use them.
  expect_refused("\x80\x02"s + "c__builtin__\nlist\n)R.", {"list"});
  expect_refused("\x80\x02"s + "cnumpy\nndarray\n)\x81.", {"ndarray"});
  expect_refused("\x80\x02]}b."s, {"a list"});
}

TEST(Pickle, RefusesDamagedStructure) {
  for (const std::string& bytes :
       {""s, "\x80"s, "\x80\x02"s, "\x80\x02."s, "\x80\x02NN."s, "\x80\x02(N."s, "\x80\x02N.N"s,
        "\x80\x02h\x05."s, "\x80\x02t."s, "\x80\x02\x85."s, "\x80\x02}(Nu."s, "\x80\x02Na."s,
        "\x80\x02T\xff\xff\xff\xff."s, "\x80\x02r\xff\xff\xff\xff."s, "plain text"s}) {
    SCOPED_TRACE(bytes);
    expect_refused(bytes, {"some.pkl"});
  }
}

TEST(Pickle, RefusesArraysWhoseShapeAndBytesDisagree) {
  const PickleWriter w(3);
  expect_refused(w.file(w.array("i4", {2, 2}, raw_bytes<int32_t>({1, 2, 3}))),
                 {"(2, 2)", "12 bytes"});
  expect_refused(w.file(w.array("i8", {1'000'000'000, 1'000'000'000, 1'000'000'000}, "12345678")),
                 {"shape"});
  expect_refused(w.file(w.array("i4", {-1}, "")), {"shape"});
  expect_refused(w.file(w.array("O8", {1}, "12345678")), {"O8"});
}

TEST(Pickle, RefusesSparseMatricesThatAreNotOne) {
  const PickleWriter w(2);
  const auto convert = [&](const PickleWriter::Sparse& m) {
    const std::string bytes = w.file(w.sparse(m));
    return to_csr(Pickle::parse(bytes, "m").root().sparse(), "m");
  };
  EXPECT_THROW(convert({2, 2, {0, 1}, {0}, {1}}), DataError);           // too few offsets
  EXPECT_THROW(convert({2, 2, {0, 2, 1}, {0}, {1}}), DataError);        // falling
  EXPECT_THROW(convert({2, 2, {0, 1, 2}, {0, 2}, {1, 1}}), DataError);  // outside
  EXPECT_THROW(convert({2, 2, {0, 2, 2}, {0, 0}, {1, 1}}), DataError);  // twice
  EXPECT_THROW(convert({2, 2, {0, 1, 2}, {0, 1}, {1}}), DataError);     // too few values
}

TEST(Pickle, BoundsObjectsNestingAndMemo) {
  PickleLimits limits;
  limits.max_values = 100;
  limits.max_nesting = 10;
  const std::string many = "\x80\x02("s + std::string(200, 'N') + "t.";
  EXPECT_THROW(Pickle::parse(many, "p", limits), DataError);
  const std::string deep = "\x80\x02"s + std::string(50, '(') + ".";
  EXPECT_THROW(Pickle::parse(deep, "p", limits), DataError);
}

TEST(Pickle, AskedForSomethingElseItNamesBothKinds) {
  const std::string bytes = "\x80\x02N."s;
  const Pickle pickle = Pickle::parse(bytes, "none.pkl");
  expect_error<DataError>([&] { pickle.root().array(); },
                          {"none.pkl", "expected an array", "found None"});
  expect_error<DataError>([&] { pickle.root().size(); }, {"expected a list"});
}

TEST(Pickle, EveryTruncationIsAnError) {
  const PickleWriter w(3);
  const std::string whole = w.file(w.sparse({2, 3, {0, 2, 3}, {2, 0, 1}, {5, 1, 2}}));
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THROW(Pickle::parse(std::string_view(whole).substr(0, n), "p"), DataError) << n;
  }
}

}  // namespace
}  // namespace emgnn
