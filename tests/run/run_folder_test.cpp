// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/run_folder.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::TempDir;

TEST(RunFolder, KeepsFilesInMemoryUntilItHasAPlace) {
  const TempDir dir;
  RunFolder folder;
  folder.write("a/b.txt", "one\n");
  folder.append("a/b.txt", "two\n");
  EXPECT_FALSE(folder.read("a/b.txt").has_value());
  EXPECT_EQ(folder.name_of("a/b.txt"), "a/b.txt");
  folder.move_to(dir / "run");
  EXPECT_EQ(read_file(dir / "run/a/b.txt"), "one\ntwo\n");
  EXPECT_EQ(folder.read("a/b.txt"), "one\ntwo\n");
  EXPECT_EQ(folder.name_of("a/b.txt"), (dir / "run/a/b.txt").string());
}

TEST(RunFolder, WritesStraightToItsPlace) {
  const TempDir dir;
  RunFolder folder;
  folder.move_to(dir / "deep/run");
  EXPECT_FALSE(folder.read("x").has_value());
  folder.write("x", "1");
  folder.write("x", "2");
  folder.append("x", "3");
  EXPECT_EQ(read_file(dir / "deep/run/x"), "23");
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir / "deep/run"))
    ++files;
  EXPECT_EQ(files, 1U);  // nothing temporary is left
}

TEST(RunFolder, APlaceThatCannotBeMadeIsNamed) {
  const TempDir dir;
  dir.write("file", "");
  RunFolder folder;
  folder.move_to(dir / "file/run");
  const std::string message = message_of<UsageError>([&] { folder.write("x", "1"); });
  EMGNN_EXPECT_PART(message, "file/run: cannot create the folder: ");
}

TEST(RunFolder, APlaceThatCannotBeWrittenToIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "needs a user that is not root";
  const TempDir dir;
  std::filesystem::create_directory(dir / "run");
  chmod((dir / "run").c_str(), 0500);
  RunFolder folder;
  folder.move_to(dir / "run");
  const std::string message = message_of<UsageError>([&] { folder.write("x", "1"); });
  EMGNN_EXPECT_PART(message, "run: cannot write to the folder: ");
}

TEST(RunFolder, APlaceThatCannotBeLookedAtIsNamed) {
  const TempDir dir;
  std::filesystem::create_symlink("loop", dir / "loop");
  RunFolder folder;
  folder.move_to(dir / "loop");
  EMGNN_EXPECT_PART(message_of<UsageError>([&] { folder.read("x"); }),
                    (dir / "loop/x").string() + ": cannot be read: ");
}

TEST(FolderLock, TheSecondOfTwoIsRefusedUntilTheFirstIsGone) {
  const TempDir dir;
  {
    const FolderLock first(dir / "run");
    EXPECT_EQ(message_of<UsageError>([&] { FolderLock second(dir / "run"); }),
              (dir / "run").string() + ": another process is working in this folder");
    EXPECT_NO_THROW(FolderLock(dir / "other"));
  }
  EXPECT_NO_THROW(FolderLock(dir / "run"));
}

}  // namespace
}  // namespace emgnn
