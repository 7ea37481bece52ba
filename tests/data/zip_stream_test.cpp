// SPDX-License-Identifier: Apache-2.0
// Members of archives that are read piece by piece.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/formats/zip.h>

#include "data/expect_error.h"
#include "data/make_zip.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::make_zip;

TEST(ZipStream, GivesInPiecesWhatReadGives) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i);
  const std::string bytes = make_zip({{"long", text}, {"empty", ""}});
  const ZipReader zip(bytes, "a.zip");
  std::string joined;
  size_t largest = 0;
  zip.stream("long", [&](std::string_view piece) {
    largest = std::max(largest, piece.size());
    joined += piece;
  });
  EXPECT_EQ(joined, text);
  EXPECT_LT(largest, text.size() / 2);
  EXPECT_EQ(zip.read("long"), text);
  zip.stream("empty", [](std::string_view) { ADD_FAILURE() << "a piece of nothing"; });
  expect_error<DataError>([&] { zip.stream("none", [](std::string_view) {}); }, {"\"none\""});
}

// One byte of the compressed data is another.
TEST(ZipStream, EndsInAnErrorWhereTheMemberIsDamaged) {
  std::string bytes = make_zip({{"m", std::string(300, 'x') + "end"}});
  bytes[33] = static_cast<char>(bytes[33] ^ 1);  // a local header has 30 bytes and the name
  expect_error<DataError>([&] { ZipReader(bytes, "a.zip").stream("m", [](std::string_view) {}); },
                          {"a.zip", "\"m\""});
}

}  // namespace
}  // namespace emgnn
