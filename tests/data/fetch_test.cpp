// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/fetch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/data/registry.h>
#include <emgnn/formats/checksum.h>

#include "data/expect_error.h"
#include "data/http_server.h"
#include "data/real_data.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::HttpServer;
using testing::TempDir;
using Files = std::map<std::string, std::string>;

std::string content() {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i);
  return text;
}

TEST(Fetch, DownloadsChecksAndRenames) {
  const TempDir dir;
  const HttpServer server(Files{{"/f", content()}});
  uint64_t last = 0;
  download({server.url() + "/f", dir / "deep/f", sha256_hex(content())},
           [&](uint64_t received, uint64_t) {
             last = std::max(last, received);
             return true;
           });
  EXPECT_EQ(read_file(dir / "deep/f"), content());
  EXPECT_EQ(last, content().size());
  EXPECT_FALSE(std::filesystem::exists(dir / "deep/f.part"));
}

TEST(Fetch, ResumesWhereItStopped) {
  const TempDir dir;
  const HttpServer server(Files{{"/f", content()}});
  dir.write("f.part", content().substr(0, 1000));
  download({server.url() + "/f", dir / "f", sha256_hex(content())});
  EXPECT_EQ(read_file(dir / "f"), content());
  EXPECT_EQ(server.num_ranges(), 1);
}

TEST(Fetch, StartsAgainWhereTheServerCannotResume) {
  const TempDir dir;
  const HttpServer plain(Files{{"/f", content()}}, false);
  dir.write("f.part", "something else");
  download({plain.url() + "/f", dir / "f", sha256_hex(content())});
  EXPECT_EQ(read_file(dir / "f"), content());
  const HttpServer server(Files{{"/g", "short"}});
  dir.write("g.part", "longer than the file on the server");
  download({server.url() + "/g", dir / "g", sha256_hex("short")});
  EXPECT_EQ(read_file(dir / "g"), "short");
  dir.write("g.part", "xx");  // a beginning that is not the file's
  download({server.url() + "/g", dir / "g", sha256_hex("short")});
  EXPECT_EQ(read_file(dir / "g"), "short");
}

TEST(Fetch, AWrongChecksumLeavesNothingBehind) {
  const TempDir dir;
  const HttpServer server(Files{{"/f", "tampered"}});
  expect_error<DataError>(
      [&] {
        download({server.url() + "/f", dir / "f", sha256_hex("true")});
      },
      {"/f", "SHA-256"});
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Fetch, FailuresNameTheAddress) {
  const TempDir dir;
  const HttpServer server(Files{{"/f", content()}});
  expect_error<DataError>(
      [&] {
        download({server.url() + "/none", dir / "f", ""});
      },
      {"/none", "404"});
  expect_error<DataError>(
      [&] {
        download({server.url() + "/f", dir / "f", "", 100});
      },
      {"/f", "more than 100"});
  expect_error<DataError>(
      [&] {
        download({"file:///etc/hostname", dir / "f", ""});
      },
      {"file:///etc/hostname"});
  expect_error<Interrupted>(
      [&] {
        download({server.url() + "/f", dir / "f", ""}, [](uint64_t, uint64_t) { return false; });
      },
      {"stopped"});
  EXPECT_FALSE(std::filesystem::exists(dir / "f"));
}

TEST(Fetch, BringsADatasetThatThenLoads) {
  EMGNN_NEEDS_REAL_DATA();
  Files files;
  const auto& wanted = dataset_info("texas").files;
  for (const std::string& file : wanted)
    files["/" + file] = read_file(testing::real_data_dir() / file);
  const HttpServer server(files);
  const TempDir dir;
  const FetchRequest request{"texas", dir.path(), server.url()};
  EXPECT_EQ(fetch_dataset(request).size(), wanted.size());
  for (const FetchedFile& file : fetch_dataset(request)) EXPECT_FALSE(file.downloaded);
  EXPECT_EQ(server.num_requests(), static_cast<int>(wanted.size()));
  DatasetRequest load;
  load.name = "texas";
  load.data_dir = dir.path();
  load.use_cache = false;
  EXPECT_EQ(load_dataset(load).graph.num_nodes, 183);
}

}  // namespace
}  // namespace emgnn
