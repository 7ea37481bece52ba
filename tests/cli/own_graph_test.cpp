// SPDX-License-Identifier: Apache-2.0
// A user's own files: import, train, and the user's ids in the predictions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

constexpr int kPeople = 24;

// Ids that a careless writer of CSV would break, under column names of the user's own.
std::string person(int i) { return "\"" + std::to_string(i) + ", \"\"the\"\" Ada\""; }

void write_tables(const Workplace& place) {
  std::ofstream nodes(place.path() / "people.csv"), edges(place.path() / "calls.csv");
  nodes << "who,party,part,age\n";
  edges << "from,to,how\n";
  const char* parts[] = {"train", "validation", "test"};
  for (int i = 0; i < kPeople; ++i) {
    nodes << person(i) << "," << (i % 2 == 0 ? "red" : "blue") << "," << parts[i / 2 % 3] << ","
          << 1 + i % 2 << "\n";
    edges << person(i) << "," << person((i + 2) % kPeople) << ",calls\n";
    edges << person(i) << "," << person((i + 5) % kPeople) << ",letters\n";
  }
}

const std::vector<std::string> kImport = {"data",
                                          "import",
                                          "--nodes",
                                          "people.csv",
                                          "--edges",
                                          "calls.csv",
                                          "--id-column",
                                          "who",
                                          "--label-column",
                                          "party",
                                          "--split-column",
                                          "part",
                                          "--source-column",
                                          "from",
                                          "--target-column",
                                          "to",
                                          "--edge-type-column",
                                          "how",
                                          "--out",
                                          "graph/"};

std::vector<std::string> train(const std::string& method) {
  const std::vector<std::string> length =
      method.starts_with("em-")
          ? std::vector<std::string>{"--set", "em.rounds=2", "--set", "em.steps=3"}
          : std::vector<std::string>{"--set", "fit.epochs=6"};
  return joined({"train", "--dataset", "graph", "--method", method, "--set", "model.hidden=4",
                 "--out", method},
                length);
}

TEST(OwnGraph, ImportedIdsComeBackInThePredictions) {
  const Workplace place;
  write_tables(place);
  const Outcome imported = run(place, kImport);
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_NE(imported.out.find("relation letters: 24 undirected edges"), std::string::npos)
      << imported.out;
  EXPECT_NE(imported.out.find("written to graph"), std::string::npos);
  expect_one_line(run(place, kImport), 2, "graph: exists already");

  for (const char* method : {"gcn", "em-gcn"}) {
    const Outcome trained = run(place, train(method));
    ASSERT_EQ(trained.status, 0) << trained.err;
    EXPECT_NE(trained.err.find("graph: labels: 2 classes"), std::string::npos) << trained.err;
    const std::string predictions = read(place.path() / method / "predictions.csv");
    EXPECT_TRUE(predictions.starts_with(
        "node,split,label,predicted,p(blue),p(red),entropy,graph_information,"
        "network_information,within_entropy,mean_entropy\n"));
    EXPECT_NE(predictions.find("\n" + person(7) + ",train,blue,"), std::string::npos)
        << predictions;
  }
}

TEST(OwnGraph, QuietTrainingOfADirectoryShowsNoNotes) {
  const Workplace place;
  write_tables(place);
  ASSERT_EQ(run(place, kImport).status, 0);
  std::vector<std::string> call = train("gcn");
  call.emplace_back("--quiet");
  EXPECT_EQ(run(place, call).err, "");
}

TEST(OwnGraph, AFailedImportLeavesNothing) {
  const Workplace place;
  write_tables(place);
  std::vector<std::string> call = kImport;
  call[9] = "partei";
  expect_one_line(run(place, call), 3, "partei");
  std::ofstream(place.path() / "calls.csv", std::ios::app) << person(0) << ",nobody,calls\n";
  expect_one_line(run(place, kImport), 3, "calls.csv: line 50, column 2 (to): no node \"nobody\"");
  for (const auto& entry : std::filesystem::directory_iterator(place.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("graph")) << entry.path();
}

TEST(OwnGraph, AGraphWithoutASplitAsksForOne) {
  const Workplace place;
  std::filesystem::create_directory(place.path() / "graph");
  std::ofstream nodes(place.path() / "graph/nodes.csv"), edges(place.path() / "graph/edges.csv");
  nodes << "id,label\n";
  edges << "source,target\n";
  for (int i = 0; i < 30; ++i) {
    nodes << "n" << i << "," << i % 3 << "\n";
    edges << "n" << i << ",n" << (i + 3) % 30 << "\n";
  }
  nodes.close();
  edges.close();
  std::vector<std::string> call = train("gcn");
  call.emplace_back("--quiet");
  expect_one_line(run(place, call), 2, "without a split: choose one of");
  EXPECT_EQ(run(place, {"data", "info", "graph", "--json"}).out,
            R"({"name":"graph","nodes":30,"edges":{"edge":30},"features":18,"classes":3,)"
            R"("splits":{"train":0,"validation":0,"test":0},"task":"classes",)"
            R"("labels":["0","1","2"]})"
            "\n");
  // The folder of the call that failed is not in the way.
  call.insert(call.end(), {"--set", "split=stratified:0.4/0.3/0.3"});
  EXPECT_EQ(run(place, call).status, 0);
}

TEST(OwnGraph, AFinishedFolderOfAGraphThatHasChangedIsRefused) {
  const Workplace place;
  write_tables(place);
  ASSERT_EQ(run(place, kImport).status, 0);
  ASSERT_EQ(run(place, train("gcn")).status, 0);
  std::ofstream(place.path() / "graph/edges.csv", std::ios::app)
      << person(0) << "," << person(12) << ",calls\n";
  const Outcome again = run(place, train("gcn"));
  EXPECT_EQ(again.status, 2) << again.err;
  EXPECT_NE(again.err.find("data.sha256"), std::string::npos) << again.err;
}

TEST(OwnGraph, NoHomeMeansNoCacheAndNothingElse) {
  const Workplace place;
  write_tables(place);
  ASSERT_EQ(run(place, kImport).status, 0);
  const std::string command = "cd '" + place.path().string() +
                              "' && env -u HOME -u XDG_CACHE_HOME -u EMGNN_CACHE " + kProgram +
                              " data info graph >/dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace emgnn::cli_test
