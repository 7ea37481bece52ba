// SPDX-License-Identifier: Apache-2.0
// emgnn report as a user calls it. What the file holds is tested in tests/report and tests/browser.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/small_graph.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> train(const std::string& dataset, const std::string& out) {
  return {"train",
          "--dataset",
          dataset,
          "--method",
          "em-gcn",
          "--set",
          "em.recipe=published",
          "--set",
          "em.rounds=2",
          "--set",
          "em.steps=3",
          "--quiet",
          "--threads",
          "1",
          "--out",
          out};
}

TEST(Report, OfARunIsAFileInItsFolder) {
  const Workplace place;
  SmallGraph().write(place, "<b>graph");
  const Outcome trained = run(place, train("<b>graph", "run"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Outcome outcome = run(place, {"report", "run"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "report in run/report.html\n");
  EXPECT_LT(outcome.max_rss_kb, 60'000);  // LibTorch alone would take 150 MB
  const std::string html = read(place.path() / "run/report.html");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(html.find("&lt;b&gt;graph"), std::string::npos);
  EXPECT_EQ(html.find("<b>graph"), std::string::npos);
  const auto manifest = nlohmann::json::parse(read(place.path() / "run/manifest.json"));
  for (const char* fact : {"/data/sha256", "/program/emgnn", "/program/commit", "/program/compiler",
                           "/program/device"})
    EXPECT_NE(html.find(manifest.at(nlohmann::json::json_pointer(fact)).get<std::string>()),
              std::string::npos)
        << fact;
  // The same bytes again, and no trace of what was in between.
  ASSERT_EQ(run(place, {"report", "run", "--quiet"}).out, "");
  EXPECT_EQ(read(place.path() / "run/report.html"), html);
  for (const auto& entry : fs::directory_iterator(place.path() / "run"))
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
  // A report does not keep a run from being resumed or read.
  EXPECT_EQ(run(place, train("<b>graph", "run")).status, 0);
  EXPECT_EQ(run(place, {"evaluate", "--run", "run", "--quiet"}).status, 0);
}

// By the ids of the user's own table, whether or not they were worth a drawing anyway.
TEST(Report, DrawsTheNodesThatAreNamed) {
  const Workplace place;
  SmallGraph graph;
  graph.edge_types = {"near"};
  graph.write(place, "graph");
  ASSERT_EQ(run(place, train("graph", "run")).status, 0);
  for (const char* node : {"n17", "n42", "n5"}) {
    const Outcome outcome =
        run(place, {"report", "--node", node, "run", "--node", "n0", "--out", "r.html"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string html = read(place.path() / "r.html");
    EXPECT_NE(html.find(std::string("<option value=\"edge-0\">") + node + "</option>"),
              std::string::npos);
    EXPECT_NE(html.find("<option value=\"edge-1\">n0</option>"), std::string::npos);
    EXPECT_NE(html.find(std::string("Edges around ") + node), std::string::npos);
  }
  fs::remove(place.path() / "r.html");
  expect_one_line(
      run(place, {"report", "run", "--node", "n17", "--node", "n99", "--out", "r.html"}), 2,
      "--node n99: no node");
  expect_one_line(run(place, {"report", "run", "--node", ""}), 2, "the value is empty");
  ASSERT_EQ(run(place, {"train", "--dataset", "graph", "--method", "gcn", "--set", "fit.epochs=2",
                        "--quiet", "--out", "plain"})
                .status,
            0);
  expect_one_line(run(place, {"report", "plain", "--node", "n17", "--out", "r.html"}), 2,
                  "--node n17: there are no edges");
  EXPECT_FALSE(fs::exists(place.path() / "r.html"));
}

TEST(Report, OfAnInterruptedRunShowsWhatThereIs) {
  const Workplace place;
  Program program(place, {"train", "--dataset", "noisy-relations", "--method", "em-gcn", "--set",
                          "em.rounds=500", "--set", "em.steps=200", "--set", "stop.rule=never",
                          "--quiet", "--out", "run"});
  program.wait_until_written(place.path() / "run/metrics.jsonl", 1000);
  program.send(SIGINT);
  ASSERT_EQ(program.wait().status, 4);
  const Outcome outcome = run(place, {"report", "run", "--out", "part.html"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string html = read(place.path() / "part.html");
  EXPECT_NE(html.find("Not finished: seed 0"), std::string::npos);
  EXPECT_NE(html.find("<figcaption>Loss</figcaption>"), std::string::npos);
}

TEST(Report, ReplacesReportsAndNoFileOfARun) {
  const Workplace place;
  SmallGraph().write(place, "graph");
  ASSERT_EQ(run(place, joined(train("graph", "runs"), {"--runs", "2"})).status, 0);
  for (const char* file : {"runs/results.json", "runs/seed-0/results.json",
                           "runs/seed-1/posterior.csv", "runs/seed-0/model.safetensors"}) {
    const std::string before = read(place.path() / file);
    ASSERT_NE(before, "") << file;
    expect_one_line(run(place, {"report", "runs", "--out", file}), 2,
                    "only *.html may be replaced");
    EXPECT_EQ(read(place.path() / file), before);
  }
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_EQ(run(place, {"report", "runs", "--out", "runs/seed-0/mine.html"}).status, 0);
}

// A run without its manifest is not left out in silence.
TEST(Report, OfRunsOfWhichOneIsDamagedIsOneLine) {
  const Workplace place;
  SmallGraph().write(place, "graph");
  ASSERT_EQ(run(place, joined(train("graph", "runs"), {"--runs", "2"})).status, 0);
  fs::remove(place.path() / "runs/seed-1/manifest.json");
  expect_one_line(run(place, {"report", "runs"}), 3, "runs/seed-1/manifest.json: missing");
  fs::remove_all(place.path() / "runs/seed-1");
  EXPECT_EQ(run(place, {"report", "runs"}).status, 0);
}

TEST(Report, MistakesAreOneLine) {
  const Workplace place;
  expect_one_line(run(place, {"report"}), 2, "run is required");
  expect_one_line(run(place, {"report", ""}), 2, "the value is empty");
  expect_one_line(run(place, {"report", "nowhere"}), 2, "nowhere: no such folder");
  expect_one_line(run(place, {"report", "."}), 2, ".: not the folder of a run");
  write(place, "manifest.json", "{");
  expect_one_line(run(place, {"report", "."}), 3, "manifest.json: damaged");
  SmallGraph().write(place, "graph");
  ASSERT_EQ(run(place, train("graph", "run")).status, 0);
  expect_one_line(run(place, {"report", "run", "--out", "graph"}), 2, "graph: is a folder");
  expect_one_line(run(place, {"report", "run", "--out", "run/results.json"}), 2,
                  "only *.html may be replaced");
  expect_one_line(run(place, {"report", "run", "--out", "no/where.html"}), 1, "no/where.html");
  expect_one_line(run(place, {"report", "run", "nowhere"}), 2, "nowhere: no such folder");
  write(place, "run/results.json", "{\"format\": 3");
  expect_one_line(run(place, {"report", "run"}), 3, "results.json: damaged");
  fs::remove(place.path() / "run/metrics.jsonl");
  expect_one_line(run(place, {"report", "run"}), 3, "metrics.jsonl: missing");
  EXPECT_FALSE(fs::exists(place.path() / "run/report.html"));
}

}  // namespace
}  // namespace emgnn::cli_test
