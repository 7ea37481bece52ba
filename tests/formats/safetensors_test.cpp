// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/safetensors.h>

#include <gtest/gtest.h>

#include <limits>

#include <emgnn/base/error.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;

template <class T>
TensorData tensor(const std::vector<T>& values, std::vector<int64_t> shape) {
  return TensorData::from<T>(values, std::move(shape));
}

TensorArchive small_archive() {
  return {.tensors = {{"a", tensor<float>({1.5F, -2.0F, 0.25F}, {3})},
                      {"b", tensor<int64_t>({7}, {1})}},
          .metadata = {{"kind", "golden"}}};
}

// The file's length, the header, then `b` before `a`: wide numbers come first.
std::string small_file() {
  return std::string("\xa0\0\0\0\0\0\0\0", 8) +
         R"({"__metadata__":{"kind":"golden","crc32":"41997d71"},)"
         R"("b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
         R"("a":{"dtype":"F32","shape":[3],"data_offsets":[8,20]}})" +
         std::string("\7\0\0\0\0\0\0\0\0\0\xc0\x3f\0\0\0\xc0\0\0\x80\x3e", 20);
}

std::string with_header(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

TEST(TensorArchive, HasTheseBytes) {
  EXPECT_EQ(encode_tensors(small_archive()), small_file());
  const TensorArchive back = decode_tensors(small_file(), "f");
  EXPECT_EQ(back.tensors, small_archive().tensors);
  EXPECT_EQ(back.metadata,
            (std::map<std::string, std::string>{{"crc32", "41997d71"}, {"kind", "golden"}}));
}

TEST(TensorArchive, KeepsNamesShapesTypesAndMetadata) {
  const double odd = -std::numeric_limits<double>::denorm_min();
  const TensorArchive archive{
      .tensors = {{"empty", tensor<double>({}, {0, 4})},
                  {"scalar", tensor<double>({odd}, {})},
                  {"ids", tensor<int64_t>({INT64_MIN, -1, 0, INT64_MAX}, {2, 2})},
                  {"layer/\"0\"\nλ", tensor<float>({1, 2, 3, 4, 5, 6}, {1, 3, 2})}},
      .metadata = {{"key", "line\n\"quoted\""}, {"none", ""}}};
  const TensorArchive back = decode_tensors(encode_tensors(archive), "f");
  EXPECT_EQ(back.tensors, archive.tensors);
  EXPECT_EQ(back.metadata.at("key"), "line\n\"quoted\"");
  EXPECT_EQ(back.metadata.at("none"), "");
  EXPECT_EQ(back.tensors.at("scalar").values<double>(), std::vector<double>{odd});
  EXPECT_EQ(back.tensors.at("ids").values<int64_t>().back(), INT64_MAX);
  EXPECT_TRUE(decode_tensors(encode_tensors({}), "f").tensors.empty());
}

TEST(TensorArchive, NumbersAreAlignedWhateverTheNames) {
  for (size_t length = 1; length <= 16; ++length) {
    const std::string bytes =
        encode_tensors({.tensors = {{"a", tensor<float>({1}, {1})},
                                    {std::string(length, 'z'), tensor<double>({2}, {1})}}});
    EXPECT_EQ((bytes.size() - 4) % 8, 0U) << length;  // all but the last float32
    EXPECT_EQ(decode_tensors(bytes, "f").tensors.size(), 2U);
  }
}

TEST(TensorArchive, EveryTruncationIsAnError) {
  const std::string bytes = small_file();
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(decode_tensors(bytes.substr(0, n), "f"), DataError) << n;
  EXPECT_THROW(decode_tensors(bytes + '\0', "f"), DataError);
}

// Every bit of the numbers, and of the header behind the metadata.
TEST(TensorArchive, EveryFlippedBitOfTheContentIsAnError) {
  const std::string bytes = small_file();
  for (size_t bit = bytes.find("\"b\"") * 8; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(decode_tensors(damaged, "f"), DataError) << bit;
  }
}

TEST(TensorArchive, RefusesHeadersThatLie) {
  const auto entry = [](const char* type, const char* shape, const char* offsets) {
    return fmt::format(R"({{"a":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", type, shape,
                       offsets);
  };
  const std::string four(4, '\0');
  EXPECT_NO_THROW(decode_tensors(with_header(entry("F32", "[1]", "[0,4]"), four), "f"));
  const std::vector<std::string> lies = {
      entry("F32", "[2]", "[0,4]"),
      entry("F32", "[4611686018427387905]", "[0,4]"),
      entry("F32", "[4611686018427387904,4611686018427387904,0]", "[0,0]"),
      entry("F32", "[18446744073709551615]", "[0,4]"),
      entry("F32", "[-1]", "[0,4]"),
      entry("F32", "[1.5]", "[0,4]"),
      entry("F32", "[1e300]", "[0,4]"),
      entry("F32", "\"x\"", "[0,4]"),
      entry("F32", "1", "[0,4]"),
      entry("F32", "[1]", "[4,8]"),
      entry("F32", "[1]", "[0,99]"),
      entry("F32", "[1]", "[0,4,8]"),
      entry("F32", "[1]", "[4,0]"),
      entry("F32", "[1]", "[0.0,4.0]"),
      entry("F32", "[1]", "[0,-4]"),
      entry("F16", "[2]", "[0,4]"),
      entry("F32", "[[1]]", "[0,4]"),
      R"([])",
      R"({"a":3})",
      R"({"a":{"dtype":"F32","shape":[1]}})",
      "{\"\xff\":3}",
      R"({"__metadata__":[1]})",
      R"({"__metadata__":"x"})",
      R"({"__metadata__":{"a":1}})"};
  for (const std::string& header : lies)
    EXPECT_THROW(decode_tensors(with_header(header, four), "f"), DataError) << header;
}

TEST(TensorArchive, TensorsMayNotOverlapNorLeaveGaps) {
  const auto file = [](const char* second) {
    return with_header(fmt::format(R"({{"a":{{"dtype":"F32","shape":[1],"data_offsets":[0,4]}},)"
                                   R"("b":{{"dtype":"F32","shape":[1],"data_offsets":{}}}}})",
                                   second),
                       std::string(8, '\0'));
  };
  EXPECT_NO_THROW(decode_tensors(file("[4,8]"), "f"));
  for (const char* second : {"[0,4]", "[2,6]", "[5,9]", "[8,12]"})
    expect_error<DataError>([&] { decode_tensors(file(second), "f"); },
                            {"f: damaged safetensors file", "\"b\"", "data_offsets"});
}

TEST(TensorArchive, AHeaderNestedDeeplyIsAnErrorAndNoStackOverflow) {
  const size_t depth = 1'000'000;
  const std::string header = R"({"__metadata__":{"crc32":"0"},"a":)" + std::string(depth, '[') +
                             std::string(depth, ']') + "}";
  expect_error<DataError>([&] { decode_tensors(with_header(header, ""), "f"); }, {"nested"});
}

TEST(TensorArchive, WhatCannotBeStoredIsAUsageError) {
  const TensorData good = tensor<float>({1}, {1});
  TensorData short_of_bytes = good;
  short_of_bytes.bytes.pop_back();
  EXPECT_THROW(encode_tensors({.tensors = {{"a", short_of_bytes}}}), UsageError);
  EXPECT_THROW(encode_tensors({.tensors = {{"__metadata__", good}}}), UsageError);
  EXPECT_THROW(encode_tensors({.tensors = {{"\xff", good}}}), UsageError);
  EXPECT_THROW(encode_tensors({.metadata = {{"a", "\xff"}}}), UsageError);
  EXPECT_THROW(tensor<float>({1}, {2}), UsageError);
  EXPECT_THROW(tensor<float>({1}, {-1}), UsageError);
  EXPECT_THROW(good.values<double>(), UsageError);
}

}  // namespace
}  // namespace emgnn
