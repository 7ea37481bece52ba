// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/cache.h>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <thread>

#include <emgnn/base/file.h>

#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::TempDir;

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("EMGNN_CACHE", (dir_ / "cache").c_str(), 1);
    write_source("one");
  }
  void TearDown() override { unsetenv("EMGNN_CACHE"); }

  void write_source(const std::string& text) {
    dir_.write("source", text);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(30));  // beyond the tick of the file system's clock
  }

  ParsedDataset load() {
    return load_through_cache(request_, [&] {
      ++parses_;
      ParsedDataset parsed;
      parsed.dataset.name = read_file(dir_ / "source");
      parsed.dataset.graph = {3, {{"edge", {3, 3, {0, 1, 2, 2}, {1, 0}, {0.5F, 0.5F}}}}};
      parsed.dataset.node_names = {"a", "", "b"};
      parsed.splits = {{"column", {{0}, {1}, {2}}}};
      parsed.notes = {"note"};
      parsed.num_self_loops = 7;
      return parsed;
    });
  }

  TempDir dir_;
  CacheRequest request_{"d/s", "v", {dir_ / "source"}};
  int parses_ = 0;
};

TEST_F(Cache, GivesBackWhatWasParsed) {
  load();
  const ParsedDataset again = load();
  EXPECT_EQ(parses_, 1);
  EXPECT_EQ(again.dataset.name, "one");
  EXPECT_EQ(again.dataset.graph.relations[0].adjacency.col, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(again.dataset.graph.relations[0].adjacency.val, (std::vector<float>{0.5, 0.5}));
  EXPECT_EQ(again.dataset.node_names, (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(again.splits[0].split.test, (std::vector<int32_t>{2}));
  EXPECT_EQ(again.notes, (std::vector<std::string>{"note"}));
  EXPECT_EQ(again.num_self_loops, 7);
}

TEST_F(Cache, AChangedSourceIsParsedAgain) {
  load();
  write_source("two");  // the same size
  EXPECT_EQ(load().dataset.name, "two");
  EXPECT_EQ(parses_, 2);
}

TEST_F(Cache, ADamagedFileIsRebuiltWhateverTheDamage) {
  load();
  const std::string whole = read_file(cache_file(request_));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_atomically(cache_file(request_), damaged);
    const int before = parses_;
    EXPECT_EQ(load().dataset.name, "one");
    ASSERT_EQ(parses_, before + 1) << "a flipped bit of byte " << at << " went unseen";
  }
  for (const size_t size : {size_t{0}, size_t{10}, whole.size() - 1}) {
    write_atomically(cache_file(request_), whole.substr(0, size));
    const int before = parses_;
    load();
    EXPECT_EQ(parses_, before + 1);
  }
  const int before = parses_;
  load();
  EXPECT_EQ(parses_, before);
}

TEST_F(Cache, VariantsDoNotMeet) {
  load();
  request_.variant = "w";
  load();
  EXPECT_EQ(parses_, 2);
}

TEST_F(Cache, WithoutAPlaceToWriteTheDataStillLoads) {
  setenv("EMGNN_CACHE", (dir_ / "source" / "inside-a-file").c_str(), 1);
  EXPECT_EQ(load().dataset.name, "one");
  EXPECT_EQ(load().dataset.name, "one");
  EXPECT_EQ(parses_, 2);
}

}  // namespace
}  // namespace emgnn
