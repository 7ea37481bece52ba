// SPDX-License-Identifier: Apache-2.0
// What a build says about features that it was made without.
#include <gtest/gtest.h>

#include <emgnn/base/error.h>
#include <emgnn/data/fetch.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/formats/gzip.h>
#include <emgnn/formats/zip.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;

TEST(LeftOut, DownloadsAreRefusedWithTheWayOut) {
  if (EMGNN_FETCH)
    GTEST_SKIP() << "needs a build with EMGNN_FETCH=OFF, such as that of bundle_test";
  expect_error<UsageError>([] { download({.url = "http://a/b", .path = "b", .sha256 = ""}); },
                           {"http://a/b", "-DEMGNN_FETCH=ON"});
}

TEST(LeftOut, GraphmlIsRefusedWithTheWayOut) {
  if (EMGNN_GRAPHML)
    GTEST_SKIP() << "needs a build with EMGNN_GRAPHML=OFF, such as that of bundle_test";
  const testing::TempDir dir;
  dir.write("g.graphml", "<graphml/>");
  expect_error<UsageError>([&] { load_own_graph(find_own_graph(dir.path()), "g"); },
                           {"g.graphml", "-DEMGNN_GRAPHML=ON"});
}

TEST(LeftOut, ArchivesAreRefusedWithTheWayOut) {
  if (EMGNN_ZIP) GTEST_SKIP() << "needs a build with EMGNN_ZIP=OFF, such as that of bundle_test";
  expect_error<UsageError>([] { ZipReader("PK", "a.npz"); }, {"a.npz", "-DEMGNN_ZIP=ON"});
  expect_error<UsageError>([] { gunzip("x", "a.gz", 10); }, {"a.gz", "-DEMGNN_ZIP=ON"});
}

}  // namespace
}  // namespace emgnn
