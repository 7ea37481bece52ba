// SPDX-License-Identifier: Apache-2.0
// Copies of a graph, as plain files or as one file that is mapped, are the same graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/small_graph.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* kGenerated = "power-law:nodes=600,edges=2400,features=6,labelled=0.5";

void succeed(const Workplace& place, const Words& call) {
  const Outcome outcome = run(place, call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

Words copy(const std::string& from, const std::string& out) {
  return {"data", "import", "--from", from, "--out", out};
}

// Everything but the name.
Json info(const Workplace& place, const std::string& dataset) {
  const Outcome outcome = run(place, {"data", "info", dataset, "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  Json json = Json::parse(outcome.out);
  json.erase("name");
  return json;
}

std::string predictions(const Workplace& place, const std::string& dataset,
                        const std::string& method, const std::string& folder,
                        const Words& more = {}) {
  const Words length = method.starts_with("em-")
                           ? Words{"--set", "em.rounds=1", "--set", "em.steps=2"}
                           : Words{"--set", "fit.epochs=4"};
  const Outcome outcome =
      run(place, joined({"train", "--dataset", dataset, "--method", method, "--preset", "none",
                         "--set", "model.hidden=8", "--quiet", "--out", folder},
                        joined(length, more)));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return read(place.path() / folder / "predictions.csv");
}

// Rows in any order: a copy has the order in which nodes are numbered.
std::vector<std::vector<std::string>> sorted(const std::string& csv) {
  std::vector<std::vector<std::string>> out = rows(csv);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(GraphCopies, OfPlainFilesAreTheSameGraphWhenMapped) {
  const Workplace place;
  SmallGraph graph;
  std::reverse(graph.nodes.begin(), graph.nodes.end());
  graph.write(place, "plain");
  succeed(place, {"data", "import", "--nodes", "plain/nodes.csv", "--edges", "plain/edges.csv",
                  "--out", "mapped.emgnn"});
  succeed(place, copy("plain", "again.emgnn"));
  const Json want = info(place, "plain");
  EXPECT_EQ(want["edges"].size(), 2U);
  for (const char* method : {"gcn", "em-gcn"}) {
    const std::string plain = predictions(place, "plain", method, std::string("plain-") + method);
    ASSERT_EQ(rows(plain).size(), 61U);
    for (const char* name : {"mapped", "again"}) {
      const std::string file = std::string(name) + ".emgnn";
      EXPECT_EQ(info(place, file), want) << name;
      EXPECT_EQ(predictions(place, file, method, std::string(name) + "-" + method), plain) << name;
    }
  }
}

TEST(GraphCopies, OfAGeneratedGraphAreTheSameGraph) {
  const Workplace place;
  succeed(place, copy(kGenerated, "mapped.emgnn"));
  succeed(place, copy(kGenerated, "plain"));
  succeed(place, {"data", "export", kGenerated, "--out", "exported"});
  const Json want = info(place, kGenerated);
  // Settings of a generated graph by name are those of a group; these ones do not differ.
  const std::string answers = predictions(place, kGenerated, "gcn", "run");
  ASSERT_EQ(rows(answers).size(), 601U);
  for (const char* name : {"mapped.emgnn", "plain", "exported"}) {
    EXPECT_EQ(info(place, name), want) << name;
    const std::string folder = std::string("run-") + name;
    EXPECT_EQ(sorted(predictions(place, name, "gcn", folder)), sorted(answers)) << name;
  }
}

// The split goes along, and the copy needs no name of a split any more.
TEST(GraphCopies, HoldTheSplitThatWasExported) {
  const Workplace place;
  const Words split = {"--split", "per-class:5/30/40", "--seed", "3"};
  succeed(place, joined({"data", "export", "noisy-relations", "--out", "copy"}, split));
  const Json copied = info(place, "copy");
  EXPECT_EQ(copied["splits"].dump(), R"({"test":40,"train":15,"validation":30})");
  succeed(place, {"data", "export", "noisy-relations", "--out", "whole"});
  EXPECT_EQ(info(place, "whole"), info(place, "noisy-relations"));
  const std::string direct = predictions(place, "noisy-relations", "gcn", "direct",
                                         {"--set", "split=per-class:5/30/40", "--seed", "3"});
  const std::string answers = predictions(place, "copy", "gcn", "run");
  EXPECT_EQ(column(answers, "split"), column(direct, "split"));
}

TEST(GraphCopies, ThatAreDamagedAreOneLineAndStatusThree) {
  const Workplace place;
  SmallGraph().write(place, "plain");
  succeed(place, copy("plain", "good.emgnn"));
  ASSERT_NE(predictions(place, "good.emgnn", "gcn", "run"), "");
  const std::string good = read(place.path() / "good.emgnn");
  std::string changed = good;
  const size_t middle = good.find("n17") + 1;  // of an id
  ASSERT_LT(middle, good.size());
  changed[middle] = 'm';
  const std::map<std::string, std::string> damaged = {
      {"cut.emgnn", good.substr(0, good.size() / 2)},
      {"changed.emgnn", changed},
      {"other.emgnn", "id,label\nada,1\n"}};
  for (const auto& [name, bytes] : damaged) {
    write(place, name, bytes);
    for (const Words& call : {Words{"data", "info", name},
                              {"data", "export", name, "--out", "copy"},
                              copy(name, "copy.emgnn"),
                              {"train", "--dataset", name, "--method", "gcn", "--out", "new"},
                              {"predict", "--run", "run", "--dataset", name, "--out", "p.csv"}})
      expect_one_line(run(place, call), 3, name + ": ");
  }
  for (const char* left : {"copy", "copy.emgnn", "new", "p.csv"})
    EXPECT_FALSE(fs::exists(place.path() / left)) << left;
}

// A file is replaced whole or stays as it was, and a folder is never replaced.
TEST(GraphCopies, ReplaceAFileButNoFolder) {
  const Workplace place;
  SmallGraph graph;
  graph.write(place, "plain");
  const auto imported = [&](const std::string& edges, const std::string& out) {
    return run(place,
               {"data", "import", "--nodes", "plain/nodes.csv", "--edges", edges, "--out", out});
  };
  ASSERT_EQ(imported("plain/edges.csv", "g.emgnn").status, 0);
  const std::string first = read(place.path() / "g.emgnn");
  write(place, "bad.csv", "source,target\nn0,nobody\n");
  expect_one_line(imported("bad.csv", "g.emgnn"), 3, "bad.csv: line 2");
  EXPECT_TRUE(read(place.path() / "g.emgnn") == first);
  write(place, "one.csv", "source,target\nn0,n1\n");
  ASSERT_EQ(imported("one.csv", "g.emgnn").status, 0);
  EXPECT_EQ(info(place, "g.emgnn")["edges"].dump(), R"({"edge":1})");
  // Itself, too: what is mapped is the file as it was.
  succeed(place, copy("g.emgnn", "g.emgnn"));
  EXPECT_EQ(info(place, "g.emgnn")["edges"].dump(), R"({"edge":1})");

  fs::create_directory(place.path() / "folder.emgnn");
  expect_one_line(imported("one.csv", "folder.emgnn"), 2, "folder.emgnn: is a folder");
  expect_one_line(imported("one.csv", "plain"), 2, "plain: exists already");
  expect_one_line(run(place, {"data", "export", "noisy-relations", "--out", "plain"}), 2,
                  "plain: exists already");
  EXPECT_TRUE(fs::is_empty(place.path() / "folder.emgnn"));
}

}  // namespace
}  // namespace emgnn::cli_test
