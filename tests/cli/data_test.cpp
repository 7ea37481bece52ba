// SPDX-License-Identifier: Apache-2.0
// emgnn data info and verify.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "data/real_data.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

const std::string kOwnGraph = std::string(testing::kSourceDir) + "/examples/own-graph";

std::string output_of(const std::vector<std::string>& arguments) {
  const Workplace place;
  const Outcome outcome = run(place, arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(DataInfo, JsonHasTheKeysOfTheContract) {
  EXPECT_EQ(output_of({"data", "info", "noisy-relations", "--json"}),
            R"({"name":"noisy-relations","nodes":2700,"edges":{"informative":4491,)"
            R"("misleading":4486},"features":200,"classes":3,)"
            R"("splits":{"train":60,"validation":180,"test":1260},"task":"classes",)"
            R"("labels":["class-0","class-1","class-2"]})"
            "\n");
  const Json own = Json::parse(output_of({"data", "info", kOwnGraph, "--json"}));
  EXPECT_EQ(own["name"], "own-graph");
  EXPECT_EQ(own["edges"].size(), 3U);
  EXPECT_GT(own["splits"]["train"], 0);
}

TEST(DataInfo, TakesASplitInBothSpellings) {
  const std::vector<std::string> call = {"data", "info", "noisy-relations", "--json"};
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--split", "per-class:5/30/40"},
        std::vector<std::string>{"--set", "split=per-class:5/30/40"}}) {
    std::vector<std::string> arguments = call;
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(Json::parse(output_of(arguments))["splits"].dump(),
              R"({"train":15,"validation":30,"test":40})");
  }
}

TEST(DataInfo, TextNamesEveryFigureAndWhatWasInferred) {
  const std::string text = output_of({"data", "info", kOwnGraph});
  for (const char* part : {"nodes ", "reader ", "edges ", "friend ", "features ", "classes ",
                           "validation ", "homophily ", "isolated ", "repeated edges", "self loops",
                           "labels-per-class:K", "inferred\n", "relation wrote"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(DataInfo, CountsMolecules) {
  EMGNN_NEEDS_REAL_DATA();
  const std::string dir = testing::real_data_dir();
  EXPECT_EQ(output_of({"data", "info", "freesolv", "--json", "--data-dir", dir}),
            R"({"name":"freesolv","molecules":642,"targets":1,"task":"values","labels":["expt"]})"
            "\n");
}

TEST(DataInfo, RejectsReplaceNoPublishedTable) {
  EMGNN_NEEDS_REAL_DATA();
  const std::string dir = testing::real_data_dir();
  const Workplace place;
  const std::string table = "moleculenet/delaney-processed.csv";
  std::filesystem::create_directories(place.path() / "data/moleculenet");
  std::filesystem::copy_file(dir + "/" + table, place.path() / "data" / table);
  const std::string before = read(place.path() / "data" / table);
  expect_one_line(
      run(place, {"data", "info", "esol", "--data-dir", "data", "--rejects", "data/" + table}), 2,
      "is read, and would be overwritten");
  EXPECT_EQ(read(place.path() / "data" / table), before);
}

TEST(DataInfo, ReadsATableOfMoleculesAndSaysWhatItLeftOut) {
  const Workplace place;
  std::ofstream(place.path() / "own.csv") << "mol,value,use\nCCO,1,train\nC1CC,2,train\n"
                                             "CCN,3,val\nCCC,5,test\n";
  const std::vector<std::string> call = {
      "data", "info", "own.csv", "--set", "data.smiles=mol", "--set", "data.target=value"};
  std::vector<std::string> with_split = call, as_json = call;
  with_split.insert(with_split.end(), {"--set", "data.split=use", "--rejects", "rejects.csv"});
  const Outcome outcome = run(place, with_split);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"molecules   3", "mean 3.000", "train 1, validation 1, test 1",
                           "row 2: C1CC not a SMILES string"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  EXPECT_EQ(read(place.path() / "rejects.csv"), "row,smiles,reason\n2,C1CC,not a SMILES string\n");
  std::vector<std::string> onto_itself = call;
  onto_itself.insert(onto_itself.end(), {"--rejects", "./own.csv"});
  expect_one_line(run(place, onto_itself), 2, "is read, and would be overwritten");
  as_json.insert(as_json.end(), {"--split", "random:0.4/0.4/0.2", "--json"});
  EXPECT_EQ(run(place, as_json).out,
            R"({"name":"own","molecules":3,"targets":1,"task":"values","labels":["value"]})"
            "\n");
  expect_one_line(run(place, {"data", "info", "own.csv"}), 3,
                  "no column \"smiles\"; there are: mol, value, use");
}

TEST(DataInfo, ABadFileIsOneLineAndStatusThree) {
  const Workplace place;
  std::filesystem::create_directory(place.path() / "bad");
  expect_one_line(run(place, {"data", "info", "bad"}), 3, "bad: no edges.csv");
  std::ofstream(place.path() / "bad/nodes.csv") << "id\nada\n";
  std::ofstream(place.path() / "bad/edges.csv") << "source,target\nada,zed\n";
  expect_one_line(run(place, {"data", "info", "bad"}), 3,
                  "bad/edges.csv: line 2, column 2 (target): no node \"zed\"");
  expect_one_line(run(place, {"train", "--dataset", "bad", "--method", "gcn"}), 3,
                  "bad/edges.csv: line 2");
}

TEST(DataVerify, ARowForEachDatasetAndStatusThreeForDamage) {
  const Workplace place;
  std::filesystem::create_directory(place.path() / "data");
  const std::vector<std::string> call = {"data", "verify", "--data-dir", "data"};
  const Outcome empty = run(place, call);
  EXPECT_EQ(empty.status, 0) << empty.err;
  EXPECT_NE(empty.out.find("\ncora "), std::string::npos) << empty.out;
  EXPECT_EQ(empty.out.find(" ok "), std::string::npos) << empty.out;

  std::filesystem::create_directory(place.path() / "data/planetoid");
  std::ofstream(place.path() / "data/planetoid/ind.cora.x") << "nonsense";
  const Outcome damaged = run(place, call);
  EXPECT_EQ(damaged.status, 3);
  EXPECT_NE(damaged.out.find("incomplete  missing: "), std::string::npos) << damaged.out;
  EXPECT_EQ(damaged.err, "emgnn: data: 1 damaged\n");
  expect_one_line(run(place, {"data", "verify", "--data-dir", "nowhere"}), 3, "nowhere: no such");
}

TEST(DataVerify, ConfirmsThePublishedFiles) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const Outcome outcome =
      run(place, {"data", "verify", "--data-dir", testing::real_data_dir().string()});
  EXPECT_NE(outcome.out.find("ok          2708 nodes, 5278 citation, 1433 features, 7 classes"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.out.find("damaged"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace emgnn::cli_test
