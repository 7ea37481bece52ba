// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/file.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <emgnn/base/error.h>

#include "../data/temp_dir.h"

namespace emgnn {
namespace {

namespace fs = std::filesystem;

TEST(WriteAtomically, ReplacesAFileAndLeavesNothingBeside) {
  const testing::TempDir dir;
  write_atomically(dir / "a", "old");
  write_atomically(dir / "a", "new");
  EXPECT_EQ(read_file(dir / "a"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 1);
}

TEST(WriteAtomically, FollowsALink) {
  const testing::TempDir dir;
  write_atomically(dir / "real", "old");
  fs::create_symlink("real", dir / "link");
  write_atomically(dir / "link", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "real"), "new");
}

// Through a link, so that a failure of this test cannot take the machine's device away.
TEST(WriteAtomically, WritesIntoADeviceAndSaysWhenItIsFull) {
  const testing::TempDir dir;
  fs::create_symlink("/dev/full", dir / "full");
  EXPECT_THROW(write_atomically(dir / "full", "text"), Error);
  fs::create_symlink("/dev/null", dir / "null");
  write_atomically(dir / "null", "text");
  for (const char* name : {"full", "null"}) EXPECT_TRUE(fs::is_symlink(dir / name)) << name;
}

}  // namespace
}  // namespace emgnn
