// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/formats/npy.h>
#include <emgnn/formats/zip.h>

#include "data/expect_error.h"
#include "data/make_zip.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::make_zip;

std::string npy(const std::string& descr, const std::string& shape, const std::string& raw) {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out.push_back(static_cast<char>(header.size()));
  out.push_back('\0');
  return out + header + raw;
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(T)};
}

TEST(Zip, ReadsMembersAndRefusesWhatIsNotThere) {
  const std::string bytes = make_zip({{"a.txt", std::string(1000, 'x')}, {"b", ""}});
  const ZipReader zip(bytes, "a.zip");
  EXPECT_EQ(zip.names(), (std::vector<std::string>{"a.txt", "b"}));
  EXPECT_EQ(zip.read("a.txt"), std::string(1000, 'x'));
  EXPECT_EQ(zip.read("b"), "");
  expect_error<DataError>([&] { zip.read("c"); }, {"a.zip", "\"c\""});
}

TEST(Zip, RefusesAMemberThatInflatesBeyondTheBound) {
  const std::string bomb = make_zip({{"bomb", std::string(8 << 20, '\0')}});
  EXPECT_LT(bomb.size(), 20000U);
  const ZipReader zip(bomb, "bomb.zip", {1 << 20, 10});
  expect_error<DataError>([&] { zip.read("bomb"); }, {"bomb.zip", "8388608", "1048576"});
}

// The central directory's claim is replaced by a false one, smaller and larger than the truth.
TEST(Zip, RefusesAMemberThatLiesAboutItsSize) {
  std::string bytes = make_zip({{"m", std::string(5000, 'y')}});
  const uint32_t truth = 5000;
  for (const uint32_t claim : {4000U, 6000U, 900'000'000U}) {
    std::string forged = bytes;
    for (size_t at = 0; at + 4 <= forged.size(); ++at) {
      if (std::memcmp(forged.data() + at, &truth, 4) == 0)
        std::memcpy(forged.data() + at, &claim, 4);
    }
    EXPECT_THROW(ZipReader(forged, "forged.zip").read("m"), DataError) << claim;
  }
}

TEST(Zip, RefusesTooManyMembersAndWhatIsNoArchive) {
  const std::string bytes = make_zip({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  EXPECT_THROW(ZipReader(bytes, "z", {100, 2}), DataError);
  EXPECT_THROW(ZipReader("", "z"), DataError);
  EXPECT_THROW(ZipReader("not a zip at all", "z"), DataError);
}

TEST(Npy, ReadsTypesAndOrders) {
  const std::string bytes = npy("<f4", "(2, 2)", raw<float>({1, 0, 2, 3}));
  const NdArray array = parse_npy(bytes, "a.npy");
  EXPECT_EQ(to_dense(array, "a"), (std::vector<float>{1, 0, 2, 3}));
  EXPECT_EQ(dense_to_csr(array, "a").col, (std::vector<int32_t>{0, 0, 1}));
  const std::string mask = npy("|b1", "(3,)", std::string("\1\0\1", 3));
  EXPECT_EQ(to_int32(parse_npy(mask, "m"), "m"), (std::vector<int32_t>{1, 0, 1}));
}

TEST(Npy, RefusesAClaimOfATrillionElementsBeforeAllocating) {
  expect_error<DataError>(
      [] { parse_npy(npy("<f8", "(1000000, 1000000)", "12345678"), "big.npy"); },
      {"big.npy", "1000000, 1000000"});
  EXPECT_THROW(parse_npy(npy("<f8", "(9223372036854775807, 9223372036854775807)", ""), "x"),
               DataError);
  EXPECT_THROW(dense_to_csr(parse_npy(npy("<f8", "(1000000000, 0)", ""), "x"), "x"), DataError);
}

TEST(Npy, RefusesWhatItDoesNotKnow) {
  for (const std::string& bytes :
       {std::string(), std::string("\x93NUMPY"), npy(">f4", "(1,)", "1234"),
        npy("|O", "(1,)", "1234"), npy("<f4", "(2,)", "1234"), npy("<f4", "(1", "1234"),
        npy("<f4", "(-1,)", ""), npy("<c8", "(1,)", "12345678")}) {
    EXPECT_THROW(parse_npy(bytes, "x.npy"), DataError);
  }
  EXPECT_THROW(to_dense(parse_npy(npy("<f4", "(1, 1)", raw<float>({1e30F * 1e30F})), "x"), "x"),
               DataError);
  EXPECT_THROW(to_int32(parse_npy(npy("<f8", "(1,)", raw<double>({0.5})), "x"), "x"), DataError);
  EXPECT_THROW(to_int32(parse_npy(npy("<i8", "(1,)", raw<int64_t>({int64_t{1} << 40})), "x"), "x"),
               DataError);
  EXPECT_THROW(
      to_int32(parse_npy(npy("<i8", "(1,)", raw<int64_t>({-(int64_t{1} << 40)})), "x"), "x"),
      DataError);
}

TEST(Npy, NumbersAtTheEdgeOf32BitsAreNotRounded) {
  const auto converted = [](const std::string& bytes) {
    return to_int32(parse_npy(bytes, "x"), "x").front();
  };
  EXPECT_EQ(converted(npy("<i8", "(1,)", raw<int64_t>({2147483647}))), 2147483647);
  EXPECT_THROW(converted(npy("<i8", "(1,)", raw<int64_t>({2147483648}))), DataError);
  EXPECT_THROW(converted(npy("<u8", "(1,)", raw<uint64_t>({UINT64_MAX}))), DataError);
  EXPECT_THROW(converted(npy("<f4", "(1,)", raw<float>({2147483648.0F}))), DataError);
  EXPECT_EQ(converted(npy("<f8", "(1,)", raw<double>({-2147483647.0}))), -2147483647);
}

TEST(Npz, ReadsScipySparseMatrices) {
  const std::string bytes = make_zip({{"indptr.npy", npy("<i4", "(3,)", raw<int32_t>({0, 1, 2}))},
                                      {"indices.npy", npy("<i4", "(2,)", raw<int32_t>({1, 0}))},
                                      {"data.npy", npy("<f8", "(2,)", raw<double>({0.5, 2}))},
                                      {"shape.npy", npy("<i8", "(2,)", raw<int64_t>({2, 2}))},
                                      {"format.npy", npy("|S3", "()", "csr")}});
  const Npz npz(bytes, "m.npz");
  const Csr csr = to_csr(sparse_from_npz(npz), "m.npz");
  EXPECT_EQ(csr.col, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(csr.val, (std::vector<float>{0.5, 2}));
  expect_error<DataError>([&] { npz.array("nope"); }, {"m.npz", "nope"});
  EXPECT_THROW(Npz(make_zip({{"readme.txt", "hello"}}), "n"), DataError);
}

}  // namespace
}  // namespace emgnn
