// SPDX-License-Identifier: Apache-2.0
// A disk that fills up while a run keeps its checkpoint costs no more than the work since the last one.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kCheckpoint = "run/checkpoint/state.safetensors";

const Words kTrain = {"train", "--dataset",      "noisy-relations", "--method",
                      "gcn",   "--quiet",        "--out",           "run",
                      "--set", "fit.epochs=400", "--set",           "stop.rule=never",
                      "--set", "model.hidden=64"};
const Words kResume = {"train", "--resume", "run", "--quiet"};

// No file of this process and of those that it starts may grow beyond it.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

void expect_no_half_written_file(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
}

void expect_same_run(const Workplace& place, const std::string& folder) {
  const Workplace whole;
  const Outcome outcome = run(whole, kTrain);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* file : {"model.safetensors", "predictions.csv", "metrics.jsonl"})
    EXPECT_EQ(read(place.path() / folder / file) == read(whole.path() / "run" / file), true)
        << file;
}

// A limit on the size of files fails a write in its middle, as a full disk does.
TEST(DiskFull, TheCheckpointBeforeStaysAndTheRunResumes) {
  const Workplace place;
  Program program(place, kTrain);
  program.wait_until_written(place.path() / "run/metrics.jsonl", 1500);
  program.send(SIGINT);
  ASSERT_EQ(program.wait().status, 4);
  const std::string before = read(place.path() / kCheckpoint);
  ASSERT_GT(before.size(), 4096U);
  ASSERT_GT(before.size(), 2 * read(place.path() / "run/metrics.jsonl").size());
  for (int again = 0; again < 2; ++again) {
    const FileSizeLimit limit(before.size() - 100);
    const Outcome full = run(place, joined(kResume, {"--checkpoint-every", "0"}));
    expect_one_line(full, 1, std::string(kCheckpoint) + ": cannot write: File too large");
    EXPECT_NE(full.err.find("the checkpoint before it is kept"), std::string::npos) << full.err;
  }
  EXPECT_EQ(read(place.path() / kCheckpoint) == before, true);
  expect_no_half_written_file(place.path());
  const Outcome resumed = run(place, kResume);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  expect_same_run(place, "run");
}

TEST(DiskFull, LeavesNoHalfWrittenFileAndResumesWhenThereIsSpace) {
  const Workplace place;
  const fs::path disk = place.path() / "run";
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=32k") != 0)
    GTEST_SKIP() << "skipped: this process may mount no tmpfs, which stands for a full disk";
  expect_one_line(run(place, kTrain), 1, "No space left");
  expect_no_half_written_file(disk);
  EXPECT_FALSE(fs::exists(disk / "model.safetensors"));
  EXPECT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=32m"), 0);
  const Outcome resumed = run(place, fs::exists(disk / "manifest.json") ? kResume : kTrain);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  expect_same_run(place, "run");
  umount(disk.c_str());
}

// What a kill in the middle of a write leaves is removed by the next call.
TEST(DiskFull, TemporaryFilesOfAKilledProcessAreRemoved) {
  const Workplace place;
  Program program(place, kTrain);
  program.wait_until_written(place.path() / "run/metrics.jsonl", 1500);
  program.send(SIGKILL);
  program.wait();
  write(place, std::string(kCheckpoint) + ".tmp123-4", "half");
  write(place, "run/results.json.tmp99-0", "half");
  write(place, "run/notes.tmp", "a user's");
  ASSERT_EQ(run(place, kResume).status, 0);
  EXPECT_FALSE(fs::exists(place.path() / (std::string(kCheckpoint) + ".tmp123-4")));
  EXPECT_FALSE(fs::exists(place.path() / "run/results.json.tmp99-0"));
  EXPECT_TRUE(fs::exists(place.path() / "run/notes.tmp"));
}

}  // namespace
}  // namespace emgnn::cli_test
