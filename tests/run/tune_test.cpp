// SPDX-License-Identifier: Apache-2.0
// The search itself, with runs that only pretend to train.
#include <emgnn/run/tune.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include "data/temp_dir.h"

namespace emgnn {
namespace {

namespace fs = std::filesystem;

// The accuracy of a run is best for a width of 40, and better the longer it is trained.
double accuracy_of(const std::vector<std::string>& settings) {
  double width = 0.0, epochs = 90.0;
  for (const std::string& s : settings) {
    if (s.starts_with("model.hidden=")) width = std::stod(s.substr(13));
    if (s.starts_with("fit.epochs=")) epochs = std::stod(s.substr(11));
  }
  return 1.0 - 0.01 * std::abs(width - 40.0) - 0.1 / epochs;
}

struct Search {
  explicit Search(const fs::path& out, std::string kind) {
    request.config = {"noisy-citations", "gcn", {}};
    request.space = "[model]\nhidden = { from = 1, to = 60 }\n";
    request.space_file = "s.toml";
    request.search = std::move(kind);
    request.trials = 27;
    request.out = out;
  }

  TuneResult run() {
    return tune(
        request,
        [&](const std::vector<std::string>& settings) {
          if (std::find(settings.begin(), settings.end(), refused) != settings.end())
            throw UsageError(refused);
          return std::map<std::string, std::string>{{"fit.epochs", "90"}};
        },
        [&](const std::vector<TuneJob>& jobs) {
          rungs.push_back(jobs);
          for (const TuneJob& job : jobs) {
            write_atomically(job.log, "");
            if (fails == job.trial || fails == kAll) continue;
            if (!leaves.empty()) leave(job);
            if (bad_data) throw DataError("bad data");
            write(job);
          }
        });
  }

  static void write(const TuneJob& job) {
    fs::create_directories(job.folder);
    const nlohmann::ordered_json json = {{"mean", {{"accuracy", accuracy_of(job.settings)}}},
                                         {"runs", {{{"seconds", 1.0}}}}};
    write_atomically(job.folder / "results.json", json.dump());
    write_atomically(job.folder / "config.toml", "fit = 1\n");
  }

  void leave(const TuneJob& job) const {
    fs::create_directories((job.folder / leaves).parent_path());
    write_atomically(job.folder / leaves, "hours of work");
  }

  TuneRequest request;
  std::vector<std::vector<TuneJob>> rungs;
  static constexpr int64_t kAll = -1;
  int64_t fails = 0;
  std::string refused;  // a setting
  bool bad_data = false;
  std::string leaves;  // a file in the folder of every trial
};

TEST(Tune, PutsTheBestFirstAndFailuresLast) {
  const testing::TempDir dir;
  Search search(dir / "out", "random");
  search.fails = 5;
  const TuneResult result = search.run();
  ASSERT_EQ(search.rungs.size(), 1U);
  ASSERT_EQ(result.trials.size(), 27U);
  EXPECT_EQ(result.score.name, "accuracy");
  for (size_t i = 1; i + 1 < result.trials.size(); ++i)
    EXPECT_GE(*result.trials[i - 1].score, *result.trials[i].score);
  EXPECT_EQ(result.trials.back().trial, 5);
  EXPECT_FALSE(result.trials.back().score);
  EXPECT_TRUE(read_file(dir / "out/best.toml").ends_with("fit = 1\n"));
  EXPECT_NE(to_text(result, 30).find("failed"), std::string::npos);
}

TEST(Tune, HalvingTrainsTheBestThirdThreeTimesAsLong) {
  const testing::TempDir dir;
  Search search(dir / "out", "halving");
  const TuneResult result = search.run();
  ASSERT_EQ(search.rungs.size(), 4U);
  const size_t counts[] = {27, 9, 3, 1};
  const char* lengths[] = {"fit.epochs=3", "fit.epochs=10", "fit.epochs=30", "fit.epochs=90"};
  for (size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(search.rungs[r].size(), counts[r]);
    EXPECT_EQ(search.rungs[r].front().settings.back(), lengths[r]);
  }
  // The width nearest to 40 of all that were drawn.
  double best = 0.0;
  for (const TuneJob& job : search.rungs.front())
    best = std::max(best, accuracy_of({job.settings.front()}));
  EXPECT_DOUBLE_EQ(accuracy_of({result.trials.front().settings.front()}), best);
}

TEST(Tune, RefusesAFolderOfAnotherSearch) {
  const testing::TempDir dir;
  Search(dir / "out", "random").run();
  Search same(dir / "out", "random");
  EXPECT_NO_THROW(same.run());
  Search other(dir / "out", "random");
  other.request.seed = 4;
  EXPECT_THROW(other.run(), UsageError);
}

TEST(Tune, ASearchThatEndsBeforeATrialDoesLeavesNothing) {
  const testing::TempDir dir;
  Search wrong(dir / "out", "random");
  wrong.request.space = "[model]\nhidden = [0, 8]\n";
  wrong.refused = "model.hidden=0";
  EXPECT_THROW(wrong.run(), UsageError);
  EXPECT_TRUE(wrong.rungs.empty());
  Search no_steps(dir / "out", "grid");
  EXPECT_THROW(no_steps.run(), UsageError);
  Search bad(dir / "out", "random");
  bad.bad_data = true;
  EXPECT_THROW(bad.run(), DataError);
  EXPECT_FALSE(fs::exists(dir / "out"));
  fs::create_directories(dir / "out");
  EXPECT_THROW(bad.run(), DataError);
  EXPECT_TRUE(fs::is_empty(dir / "out"));
  EXPECT_NO_THROW(Search(dir / "out", "random").run());
}

// The data of another trial, or of the next call, may be mended.
TEST(Tune, WhatWasTrainedOutlivesATrialThatShowsBadData) {
  const testing::TempDir dir;
  for (const std::string file : {"checkpoint/state.safetensors", "results.json"}) {
    Search search(dir / file, "random");
    search.bad_data = true;
    search.leaves = "seed-0/" + file;
    EXPECT_THROW(search.run(), DataError);
    EXPECT_EQ(read_file(dir / file / "trial-0001/seed-0" / file), "hours of work");
  }
}

TEST(Tune, ASearchThatIsResumedIsNeverForgotten) {
  const testing::TempDir dir;
  Search search(dir / "out", "random");
  search.fails = Search::kAll;
  EXPECT_THROW(search.run(), Error);
  search.fails = 0;
  search.bad_data = true;
  EXPECT_THROW(search.run(), DataError);
  EXPECT_TRUE(fs::exists(dir / "out/tune.json"));
}

// The same search is run again where there is more memory: its checkpoints are kept.
TEST(Tune, TrialsThatAllFailAreNoMistakeOfTheUser) {
  const testing::TempDir dir;
  Search search(dir / "out", "random");
  search.fails = Search::kAll;
  try {
    search.run();
    FAIL();
  } catch (const UsageError& error) {
    FAIL() << error.what();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no trial succeeded"), std::string::npos);
  }
  EXPECT_TRUE(fs::exists(dir / "out/trial-0001.log"));
  search.fails = 0;
  EXPECT_NO_THROW(search.run());
}

TEST(Tune, RefusesTheFolderOfARun) {
  const testing::TempDir dir;
  dir.write("a/config.toml", "");
  dir.write("b/trial-0001/config.toml", "");
  dir.write("c/trial-0002/config.toml", "");
  for (const char* folder : {"a", "b", "c"}) {
    Search search(dir / folder, "random");
    EXPECT_THROW(search.run(), UsageError) << folder;
    EXPECT_TRUE(search.rungs.empty());
    EXPECT_FALSE(fs::exists(dir / folder / "tune.json"));
  }
}

TEST(Tune, RefusesKeysThatNothingReadsAndScoresThatAreNone) {
  const testing::TempDir dir;
  Search unknown(dir / "a", "random");
  unknown.request.space = "[model]\nhiden = [1, 2]\n";
  EXPECT_THROW(unknown.run(), UsageError);
  Search score(dir / "b", "random");
  score.request.score = "beauty";
  EXPECT_THROW(score.run(), UsageError);
  EXPECT_TRUE(score.rungs.empty());
  Search length(dir / "c", "halving");
  length.request.space = "[fit]\nepochs = [1, 2]\n";
  EXPECT_THROW(length.run(), UsageError);
}

}  // namespace
}  // namespace emgnn
