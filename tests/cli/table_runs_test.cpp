// SPDX-License-Identifier: Apache-2.0
// emgnn reproduce as a user who runs tables for hours meets it: several cells at a time, interrupted,
// killed, resumed, read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "data/real_data.h"
#include "report/well_formed.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;

// Small graphs: a run takes less than a second.
std::vector<std::string> table(const std::vector<std::string>& more) {
  return joined(
      {"reproduce", "heterophilic", "--rows", "gcn,dropedge", "--columns", "texas,wisconsin",
       "--runs", "2", "--data-dir", emgnn::testing::real_data_dir().string()},
      more);
}

size_t num_entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(TableRuns, SeveralAtATimeGiveTheBytesOfOneAfterTheOther) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const Outcome one = run(place, table({"--threads", "1", "--format", "csv"}));
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(rows(one.out).size(), 1U + 4U) << one.out;
  // Nothing stays of a table without --out but the cache of the data.
  for (const auto& entry : fs::directory_iterator(place.path()))
    EXPECT_TRUE(entry.path().filename().string().starts_with(".")) << entry.path();
  const Outcome two = run(place, table({"--threads", "2", "--format", "csv", "--out", "t"}));
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(two.out, one.out);
  EXPECT_NE(two.err.find("cell 4 of 4 done: "), std::string::npos) << two.err;
  EXPECT_EQ(num_entries(place.path() / "t/gcn"), 2U) << "logs of finished cells are removed";
}

TEST(TableRuns, WhatIsStoredIsReadBackInEveryForm) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const auto form = [&](const char* name) {
    const Outcome outcome = run(place, table({"--out", "t", "--quiet", "--format", name}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  };
  const std::string first = form("markdown");
  const auto written = fs::last_write_time(place.path() / "t/gcn/texas/seed-1/results.json");
  EXPECT_EQ(form("markdown"), first);
  EXPECT_NE(first.find("| gcn |"), std::string::npos) << first;
  EXPECT_TRUE(emgnn::testing::is_well_formed(form("svg")));
  EXPECT_EQ(nlohmann::json::parse(form("json"))["cells"].size(), 4U);
  EXPECT_NE(form("text").find("* best and + second best"), std::string::npos);
  EXPECT_EQ(fs::last_write_time(place.path() / "t/gcn/texas/seed-1/results.json"), written);
  // A part of it, too.
  const Outcome part =
      run(place, {"reproduce", "heterophilic", "--rows", "gcn", "--columns", "texas", "--runs", "2",
                  "--format", "csv", "--out", "t", "--quiet"});
  EXPECT_EQ(rows(part.out).size(), 2U) << part.err;
}

TEST(TableRuns, KilledTheTableResumesAndLosesNoFinishedRun) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const std::vector<std::string> call = table({"--threads", "2", "--out", "t", "--format", "csv"});
  const Outcome whole = run(place, table({"--threads", "2", "--format", "csv"}));
  Program program(place, call);
  const fs::path first = place.path() / "t/gcn/texas/seed-0/results.json";
  program.wait_until_written(first, 1);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().status, 128 + SIGKILL);
  const auto written = fs::last_write_time(first);
  const Outcome resumed = run(place, call);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
  EXPECT_EQ(fs::last_write_time(first), written);
}

TEST(TableRuns, CtrlCEndsAllProcessesWithinTwoSeconds) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const std::vector<std::string> call = {"reproduce",  "heterophilic",
                                         "--rows",     "gcn,rsgnn,bgcn",
                                         "--columns",  "texas",
                                         "--threads",  "2",
                                         "--out",      "t",
                                         "--data-dir", emgnn::testing::real_data_dir().string()};
  Program program(place, call);
  program.wait_until_written(place.path() / "t/gcn/texas/seed-0/metrics.jsonl", 1);
  const auto start = std::chrono::steady_clock::now();
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2500));
  EXPECT_EQ(stopped.status, 4) << stopped.err;
  EXPECT_NE(stopped.err.find("to resume: "), std::string::npos) << stopped.err;
  // Nobody works in the folders any more.
  const Outcome one =
      run(place, {"reproduce", "heterophilic", "--rows", "gcn", "--columns", "texas", "--out", "t",
                  "--quiet", "--data-dir", emgnn::testing::real_data_dir().string()});
  EXPECT_EQ(one.status, 0) << one.err;
}

TEST(TableRuns, WhatIsStoredIsCheckedBeforeItIsShown) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  ASSERT_EQ(run(place, table({"--out", "t"})).status, 0);
  expect_one_line(run(place, table({"--out", "t", "--seed", "5"})), 2,
                  "the folder holds another run: seed is 0 there and 5 here");
  write(place, "t/gcn/wisconsin/seed-1/results.json", "{\"format\": 3, \"runs\": [");
  expect_one_line(run(place, table({"--out", "t"})), 3,
                  "t/gcn/wisconsin/seed-1/results.json: damaged");
}

TEST(TableRuns, WrongFormsAndNumbersOfJobsAreOneLine) {
  const Workplace place;
  const auto expect = [&](std::vector<std::string> more, const std::string& part) {
    expect_one_line(run(place, joined({"reproduce"}, more)), 2, part);
  };
  expect({"heterophilic", "--format", "html"}, "expected text, markdown, csv, json or svg");
  expect({"heterophilic", "--format", "csv", "--json"}, "exclude each other");
  expect({"heterophilic", "--jobs", "0"}, "--jobs must be 1 to the number of --threads (got 0)");
  expect({"heterophilic", "--threads", "2", "--jobs", "3"}, "--jobs must be 1 to the number");
  expect({"runtime", "--threads", "2", "--jobs", "2"}, "runtime measures time");
  expect({"scale", "--threads", "2", "--jobs", "2"}, "scale measures time");
  expect({"distributions", "--rows", "em-gcn-star", "--columns", "imdb"}, "none of these rows");
}

TEST(TableRuns, CellsShareTheMemory) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  expect_one_line(run(place, table({"--threads", "2", "--jobs", "2", "--memory", "900M"})), 2,
                  "--jobs: 900 MB are enough for 1 at a time");
}

// Without published data.
TEST(TableRuns, AGeneratedGraphIsMeasured) {
  const Workplace place;
  const Outcome outcome = run(place, {"reproduce", "scale", "--rows", "gcn", "--columns",
                                      "edges-1e4", "--runs", "1", "--quiet", "--format", "csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto lines = rows(outcome.out);
  ASSERT_EQ(lines.size(), 1U + 3U) << outcome.out;
  EXPECT_EQ(lines[1][2], "seconds");
  EXPECT_EQ(lines[2][2], "peak_rss_mb");
  EXPECT_GT(std::stod(lines[2][3]), 10.0);
  EXPECT_GT(std::stod(lines[3][3]), 0.5);  // of eight classes
}

// Those that were stopped for it are no failures.
TEST(TableRuns, OneThatCannotBeginEndsTheOthersInOneLine) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  fs::create_directories(place.path() / "t/rsgnn");
  write(place, "t/rsgnn/wisconsin", "a file where the folder of the runs would be");
  const Outcome outcome =
      run(place, {"reproduce", "heterophilic", "--rows", "gcn,rsgnn", "--columns",
                  "texas,wisconsin", "--runs", "10", "--threads", "2", "--out", "t", "--data-dir",
                  emgnn::testing::real_data_dir().string()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("emgnn: rsgnn on wisconsin: "), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("failed"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("to resume"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(place.path() / "t/rsgnn/texas.log"));
}

// A column of generated data.
std::vector<std::string> generated(const std::vector<std::string>& more) {
  return joined({"reproduce", "scale", "--rows", "gcn", "--columns", "edges-1e4", "--quiet",
                 "--format", "csv", "--out", "t"},
                more);
}

TEST(TableRuns, OneRunAndSeveralShareAFolder) {
  const Workplace place;
  const Outcome one = run(place, generated({"--runs", "1"}));
  ASSERT_EQ(one.status, 0) << one.err;
  const fs::path first = place.path() / "t/gcn/edges-1e4/seed-0/results.json";
  const auto written = fs::last_write_time(first);
  const Outcome two = run(place, generated({"--runs", "2"}));
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(rows(two.out).at(1).at(5), "2");
  EXPECT_EQ(run(place, generated({"--runs", "1"})).out, one.out);
  EXPECT_EQ(fs::last_write_time(first), written);
  const Outcome resumed = run(place, {"train", "--resume", "t/gcn/edges-1e4", "--quiet"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
}

TEST(TableRuns, ASingleRunOfAnEarlierVersionIsReadBack) {
  const Workplace place;
  ASSERT_EQ(run(place, generated({"--runs", "1"})).status, 0);
  const fs::path cell = place.path() / "t/gcn/edges-1e4";
  for (const char* file : {"manifest.json", "results.json", "config.toml"})
    fs::rename(cell / "seed-0" / file, cell / file);
  fs::remove_all(cell / "seed-0");
  const auto written = fs::last_write_time(cell / "results.json");
  const Outcome again = run(place, generated({"--runs", "1"}));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(rows(again.out).at(1).at(5), "1");
  EXPECT_EQ(fs::last_write_time(cell / "results.json"), written);
  expect_one_line(run(place, generated({"--runs", "2"})), 2, "choose another --out");
}

TEST(TableRuns, OneThatFailsCostsNoOther) {
  const Workplace place;
  // A file that cannot be written.
  fs::create_directories(place.path() / "t/gcn/edges-1e4/seed-0/predictions.csv");
  for (const char* form : {"markdown", "json"}) {
    const Outcome outcome =
        run(place, {"reproduce", "scale", "--rows", "gcn,em-gcn", "--columns", "edges-1e4",
                    "--runs", "1", "--quiet", "--format", form, "--out", "t"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err.find("emgnn: gcn on edges-1e4: "), 0U) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    if (form == std::string("json")) {
      EXPECT_EQ(nlohmann::json::parse(outcome.out)["cells"].size(), 6U);
    } else {
      EXPECT_NE(outcome.out.find("| gcn | – |"), std::string::npos) << outcome.out;
    }
  }
}

}  // namespace
}  // namespace emgnn::cli_test
