// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/stored_results.h>

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "data/temp_dir.h"

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/run/same_run.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

// A folder with runs that only look as if they had been trained.
class StoredResults : public ::testing::Test {
 protected:
  StoredResults() {
    request_.config = {"noisy-relations", "gcn", {}};
    request_.runs = 2;
    request_.out = folder_.path() / "cell";
  }

  fs::path path(int64_t r, const char* file) const {
    return folder_of_run(*request_.out, request_, r) / file;
  }

  void store(int64_t r, double accuracy) const {
    fs::create_directories(folder_of_run(*request_.out, request_, r));
    const auto seed = request_.seed + static_cast<uint64_t>(r);
    nlohmann::ordered_json manifest = identity_json(request_.config, seed, false);
    manifest["data"] = {{"task", "classes"}};
    write_atomically(path(r, kManifestFile), manifest.dump());
    write_atomically(path(r, kConfigFile), "[model]\nhidden = 16\n");
    RunRecord run{.seed = seed};
    run.seconds = 2.0;
    run.test = Scores{{"accuracy", accuracy}};
    const Results alone{.dataset = "noisy-relations",
                        .method = "gcn",
                        .config = {},
                        .scores = {{.name = "accuracy"}},
                        .runs = {run}};
    write_atomically(path(r, kResultsFile), to_json(alone).dump());
  }

  std::string failure(const std::function<void()>& f) const {
    try {
      f();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  }

  testing::TempDir folder_;
  RunRequest request_;
  const std::map<std::string, std::string> values_ = {{"model.hidden", "16"}, {"other", "1"}};
};

TEST_F(StoredResults, AreThereWhenAllRunsAreFinished) {
  EXPECT_FALSE(stored_results(request_, values_));
  EXPECT_EQ(num_finished(request_), 0);
  store(0, 0.5);
  EXPECT_FALSE(stored_results(request_, values_));
  EXPECT_EQ(num_finished(request_), 1);
  store(1, 0.75);
  const std::optional<Results> results = stored_results(request_, values_);
  ASSERT_TRUE(results);
  EXPECT_EQ(values_of(*results, "accuracy"), (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(results->scores.size(), class_score_info().size());
  EXPECT_EQ(finished_run(request_, 1).seconds, 2.0);
}

TEST_F(StoredResults, OfOtherSettingsAreRefused) {
  store(0, 0.5);
  store(1, 0.5);
  const auto read = [&](const char* hidden) {
    return failure([&] { stored_results(request_, {{"model.hidden", hidden}}); });
  };
  EXPECT_EQ(read("16"), "no error");
  EXPECT_NE(read("17").find("model.hidden is 16 there and 17 here"), std::string::npos);
  request_.config.method = "gat";
  EXPECT_NE(read("16").find("method is \"gcn\" there"), std::string::npos) << read("16");
}

TEST_F(StoredResults, ThatAreDamagedAreNamed) {
  store(0, 0.5);
  store(1, 0.5);
  const auto read = [&] { return failure([&] { stored_results(request_, values_); }); };
  write_atomically(path(1, kResultsFile), "{\"format\": ");
  EXPECT_NE(read().find("seed-1/results.json: damaged"), std::string::npos) << read();
  store(1, 0.5);
  write_atomically(path(0, kManifestFile), "[]");
  EXPECT_NE(read().find("seed-0/manifest.json: damaged"), std::string::npos) << read();
}

TEST_F(StoredResults, WithoutWhatIsAskedForAreIncomplete) {
  request_.runs = 1;
  store(0, 0.5);
  EXPECT_TRUE(stored_results(request_, values_));
  request_.rank_graphs = true;
  EXPECT_FALSE(stored_results(request_, values_));
}

TEST(SecondsLeft, AreThoseOfTheNearestRunsThatAreKnown) {
  std::vector<SeriesTimes> all = {{"gcn", "cora", 4, {}}, {"gcn", "acm", 2, {}}};
  EXPECT_FALSE(seconds_left(all, 1));
  all[0].seconds = {1.0, 3.0};
  EXPECT_DOUBLE_EQ(*seconds_left(all, 1), 2 * 2.0 + 2 * 2.0);  // its own, and those of its row
  EXPECT_DOUBLE_EQ(*seconds_left(all, 2), 4.0);
  EXPECT_DOUBLE_EQ(*seconds_left(all, 4), 4.0);  // the runs of a series come one after the other
  all.push_back({"gat", "cora", 1, {}});
  all.push_back({"gat", "dblp", 1, {}});
  EXPECT_DOUBLE_EQ(*seconds_left(all, 1), 8.0 + 2.0 + 2.0);  // of its column, of all
  all[2].seconds = {10.0};
  EXPECT_DOUBLE_EQ(*seconds_left(all, 1), 8.0 + 10.0);  // now its row is known
  for (SeriesTimes& series : all) series.seconds.assign(static_cast<size_t>(series.runs), 1.0);
  EXPECT_DOUBLE_EQ(*seconds_left(all, 1), 0.0);
}

}  // namespace
}  // namespace emgnn
