// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/memory.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "data/temp_dir.h"

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>

namespace emgnn {
namespace {

TEST(Memory, AmountsAreReadInUnitsOf1024) {
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("512K"), 512 * 1024);
  EXPECT_EQ(parse_bytes("512M"), 512LL << 20);
  EXPECT_EQ(parse_bytes("8G"), 8LL << 30);
  EXPECT_EQ(parse_bytes("8g"), 8LL << 30);
  EXPECT_EQ(parse_bytes("8GB"), 8LL << 30);
  EXPECT_EQ(parse_bytes("8GiB"), 8LL << 30);
  EXPECT_EQ(parse_bytes("1.5G"), 3LL << 29);
  EXPECT_EQ(parse_bytes("2T"), 2LL << 40);
}

TEST(Memory, AnythingElseIsRefused) {
  for (const char* text : {"", "G", "-1G", "8X", "8 G", "nan", "inf", "0", "1e30G", "8GG", "8GBB"})
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
}

TEST(Memory, AmountsAreToldInWords) {
  EXPECT_EQ(bytes_in_words(3LL << 29), "1.5 GB");
  EXPECT_EQ(bytes_in_words(200LL << 20), "200 MB");
  EXPECT_EQ(bytes_in_words(100LL << 10), "100 kB");
  EXPECT_EQ(bytes_in_words(8), "8 bytes");
}

TEST(Memory, TheSystemHasSome) { EXPECT_GT(available_memory(), int64_t{1} << 20); }

// The process is in /shop/job; "max" is no limit.
TEST(Memory, TheSmallestOfTheControlGroupsCounts) {
  const testing::TempDir dir;
  const std::string list = dir / "cgroup", root = dir / "fs";
  const auto group = [&](const std::string& name, const std::string& limit,
                         const std::string& used) {
    std::filesystem::create_directories(root + name);
    write_atomically(root + name + "/memory.max", limit + "\n");
    write_atomically(root + name + "/memory.current", used + "\n");
  };
  write_atomically(list, "3:cpu:/elsewhere\n0::/shop/job\n");
  EXPECT_EQ(left_in_control_groups(list, root), std::numeric_limits<int64_t>::max());
  group("/shop/job", "max", "500");
  EXPECT_EQ(left_in_control_groups(list, root), std::numeric_limits<int64_t>::max());
  group("/shop", "9000", "2000");
  EXPECT_EQ(left_in_control_groups(list, root), 7000);
  group("/shop/job", "4000", "500");
  EXPECT_EQ(left_in_control_groups(list, root), 3500);
  group("/shop", "9000", "9500");
  EXPECT_EQ(left_in_control_groups(list, root), 0);
}

// As it is where version 1 is mounted: each controller has a folder of its own.
TEST(Memory, ControlGroupsOfTheFirstVersionCountToo) {
  const testing::TempDir dir;
  const std::string list = dir / "cgroup", root = dir / "fs";
  const auto group = [&](const std::string& name, const std::string& limit,
                         const std::string& used) {
    std::filesystem::create_directories(root + "/memory" + name);
    write_atomically(root + "/memory" + name + "/memory.limit_in_bytes", limit + "\n");
    write_atomically(root + "/memory" + name + "/memory.usage_in_bytes", used + "\n");
  };
  write_atomically(list, "9:name=systemd:/shop\n5:cpu,memory:/shop/job\n0::/\n");
  group("", "9223372036854771712", "600");
  EXPECT_EQ(left_in_control_groups(list, root), 9223372036854771112);
  group("/shop", "5000", "600");
  group("/shop/job", "4000", "500");
  EXPECT_EQ(left_in_control_groups(list, root), 3500);
  write_atomically(root + "/memory/shop/job/memory.stat",
                   "inactive_file 1\ntotal_inactive_file 300\n");
  EXPECT_EQ(left_in_control_groups(list, root), 3800);
  write_atomically(root + "/memory/shop/job/memory.stat", "total_inactive_file 900\n");
  EXPECT_EQ(left_in_control_groups(list, root), 4000) << "files in the cache are no room beyond it";
  // What is visible from inside a container is its own group, by another path.
  write_atomically(list, "4:memory:/docker/0123/job\n");
  group("", "3000", "1000");
  EXPECT_EQ(left_in_control_groups(list, root), 2000);
}

TEST(Memory, CachedFilesMakeRoom) {
  const testing::TempDir dir;
  const std::string list = dir / "cgroup", root = dir / "fs";
  std::filesystem::create_directories(root + "/job");
  write_atomically(list, "0::/job\n");
  write_atomically(root + "/job/memory.max", "9000\n");
  write_atomically(root + "/job/memory.current", "8000\n");
  write_atomically(root + "/job/memory.stat", "anon 2000\ninactive_file 5000\nactive_file 1000\n");
  EXPECT_EQ(left_in_control_groups(list, root), 6000);
}

TEST(Memory, ALimitBelowWhatIsTakenIsRefused) {
  EXPECT_THROW(limit_memory(1), UsageError);
  EXPECT_EQ(memory_limit(), 0);
}

}  // namespace
}  // namespace emgnn
