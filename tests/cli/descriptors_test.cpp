// SPDX-License-Identifier: Apache-2.0
// Methods that read descriptors of molecules, as a user calls them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/small_molecules.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> training(const std::string& method,
                                  const std::vector<std::string>& more = {}) {
  return joined({"train", "--dataset", "mine.csv", "--method", method, "--quiet", "--json", "--set",
                 "data.smiles=SMILES", "--set", "data.target=y"},
                more);
}

// The line of one molecule, from behind its SMILES on, without the columns of the split and target.
std::string answer(const std::string& table, const std::string& smiles, size_t skipped) {
  size_t at = table.find("," + smiles + ",") + smiles.size() + 2;
  for (; skipped > 0; --skipped) at = table.find(',', at) + 1;
  return table.substr(at, table.find('\n', at) - at);
}

TEST(MoleculesByDescriptors, TrainAndPredictNewOnes) {
  for (const std::string method : {"rf", "ridge", "gcn-star"}) {
    const Workplace place;
    write(place, "mine.csv", small_table());
    std::vector<std::string> more = {"--out", "run"};
    if (method == "gcn-star")
      more = joined(more, {"--set", "model.descriptors=true", "--set", "fit.epochs=4"});
    const Outcome trained = run(place, training(method, more));
    ASSERT_EQ(trained.status, 0) << method << ": " << trained.err;
    const Json json = Json::parse(trained.out);
    EXPECT_TRUE(json["mean"]["rmse"].is_number()) << method;
    EXPECT_EQ(json["config"]["data.conformers"], 0) << method;
    // y is 0.7 a carbon atom, and 1 for an OH.
    if (method == "ridge") {
      EXPECT_LT(json["mean"]["rmse"].get<double>(), 0.4);
    }
    write(place, "other.csv", "structure\nCCO\nC1CC\nCCCCCCO\n[Na+].[Cl-]\n[U]\n");
    const Outcome outcome = run(place, {"predict", "--run", "run", "--dataset", "other.csv",
                                        "--set", "data.smiles=structure", "--out", "new.csv"});
    ASSERT_EQ(outcome.status, 0) << method << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "4 predicted, 1 rejected: new.csv\n") << method;
    const std::string table = read(place.path() / "new.csv");
    EXPECT_EQ(table.find("nan"), std::string::npos) << table;
    const std::string known = read(place.path() / "run/predictions.csv");
    for (const char* smiles : {"CCO", "CCCCCCO"})
      EXPECT_EQ(answer(table, smiles, 0), answer(known, smiles, 2) + ",") << method;
  }
}

TEST(MoleculesByDescriptors, RepeatThemselvesOnAnyNumberOfThreads) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  for (const char* method : {"rf", "ridge"}) {
    const std::string one = timeless(run(place, training(method, {"--threads", "1"})));
    EXPECT_EQ(timeless(run(place, training(method, {"--threads", "3"}))), one) << method;
  }
}

TEST(MoleculesByDescriptors, AForestGoesOnAfterCtrlC) {
  const Workplace place, other;
  for (const Workplace* w : {&place, &other}) write(*w, "mine.csv", small_table());
  const std::vector<std::string> call =
      training("rf", {"--out", "run", "--set", "model.trees=20000"});
  Program program(place, call);
  program.wait_until_written(place.path() / "run/manifest.json", 10);
  const auto begin = std::chrono::steady_clock::now();
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(stopped.status, 4) << stopped.err;
  EXPECT_NE(stopped.err.find(" of 20000 trees"), std::string::npos) << stopped.err;
  EXPECT_EQ(timeless(run(place, call)), timeless(run(other, call)));
  for (const char* file : {"run/predictions.csv", "run/model.safetensors"})
    EXPECT_TRUE(read(place.path() / file) == read_moved(other, file, place)) << file;
}

TEST(MoleculesByDescriptors, WhateverIsWrongIsOneLine) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  const auto refused = [&](const std::vector<std::string>& call, const std::string& part) {
    const Outcome outcome = run(place, call);
    EXPECT_EQ(outcome.status, 2) << part;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  refused(training("rf", {"--set", "model.trees=0"}), "model.trees");
  refused(training("rf", {"--set", "model.hidden=8"}), "model.hidden");
  refused(training("ridge", {"--set", "model.trees=8"}), "model.trees");
  refused(training("weave", {"--set", "model.descriptors=true"}), "model.descriptors");
  refused({"train", "--dataset", "noisy-relations", "--method", "rf"},
          "method rf is for molecules");
}

}  // namespace
}  // namespace emgnn::cli_test
