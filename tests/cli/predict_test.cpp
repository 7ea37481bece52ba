// SPDX-License-Identifier: Apache-2.0
// emgnn predict: what a finished run says about its own data and about other data.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/program.h"
#include "cli/small_graph.h"
#include "cli/small_molecules.h"
#include "paths.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTrain = {"train", "--quiet", "--out", "run"};
const std::vector<std::string> kShortEm = {"--set", "em.rounds=2", "--set", "em.steps=3"};

std::vector<std::string> predicting(const std::vector<std::string>& more = {}) {
  return joined({"predict", "--run", "run", "--out", "new.csv", "--quiet"}, more);
}

// Some columns of a table without quotes; numbers count from 0.
std::string columns(const std::string& table, const std::vector<size_t>& numbers) {
  std::istringstream in(table);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream cells(line + ",");
    for (std::string field; std::getline(cells, field, ',');) fields.push_back(field);
    for (size_t number : numbers) out += fields.at(number) + " ";
    out += "\n";
  }
  return out;
}

TEST(Predict, RepeatsThePredictionsOfTheRun) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  ASSERT_EQ(run(place, small_training({"--out", "run", "--set", "model.norm=batch"})).status, 0);
  const Outcome outcome = run(place, predicting());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  const std::string table = read(place.path() / "new.csv");
  EXPECT_TRUE(table.starts_with("row,smiles,value,graph_std,network_std,rejected\n")) << table;
  EXPECT_EQ(columns(table, {0, 1, 2, 3}),
            columns(read(place.path() / "run/predictions.csv"), {0, 1, 4, 5}));
}

TEST(Predict, NewMoleculesNeedNoTargetAndBadOnesSayWhy) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  ASSERT_EQ(run(place, small_training({"--out", "run"})).status, 0);
  write(place, "other.csv", "id,structure\na,CCO\nb,C1CC\nc,\nd,CCCCCCO\ne,[Na+].[Cl-]\nf,C\n");
  const Outcome outcome = run(place, {"predict", "--run", "run", "--dataset", "other.csv", "--set",
                                      "data.smiles=structure", "--out", "new.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "4 predicted, 2 rejected: new.csv\n");
  const std::string table = read(place.path() / "new.csv");
  EXPECT_EQ(columns(table, {0, 1}),
            "row smiles \n1 CCO \n2 C1CC \n3  \n4 CCCCCCO \n5 [Na+].[Cl-] \n6 C \n");
  EXPECT_NE(table.find("\n2,C1CC,,,,not a SMILES string\n3,,,,,no value of structure\n"),
            std::string::npos)
      << table;
  // The same molecule has the same prediction, whatever else is in the table.
  const std::string known = read(place.path() / "run/predictions.csv");
  const size_t line = known.find(",CCO,");
  const std::string of_known = columns(known.substr(line, known.find('\n', line) - line), {4, 5});
  const size_t again = table.find(",CCO,");
  EXPECT_EQ(columns(table.substr(again, table.find('\n', again) - again), {2, 3}), of_known);
}

TEST(Predict, SaysThatAFileIsNotThereAndOverwritesNothingItReads) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  ASSERT_EQ(run(place, small_training({"--out", "run"})).status, 0);
  const auto predict = [&](const std::string& dataset, const std::string& out) {
    return run(place, {"predict", "--run", "run", "--dataset", dataset, "--out", out});
  };
  const Outcome missing = predict("nine.csv", "new.csv");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("no .csv or .sdf file \"nine.csv\""), std::string::npos)
      << missing.err;
  fs::create_symlink(place.path() / "mine.csv", place.path() / "link.csv");
  for (const char* file : {"mine.csv", "link.csv", "run/model.safetensors", "run/results.json",
                           "run/checkpoint/../config.toml"}) {
    const std::string before = read(place.path() / file);
    const std::vector<std::string> own = {"predict", "--run", "run", "--out", file};
    for (const Outcome& outcome : {predict("mine.csv", file), run(place, own)})
      expect_one_line(outcome, 2, "would be overwritten");
    EXPECT_EQ(read(place.path() / file), before);
  }
  fs::create_directory(place.path() / "folder");
  expect_one_line(predict("mine.csv", "folder"), 2, "folder: is a folder; --out names a file");
  EXPECT_EQ(predict("mine.csv", "run/predictions.csv").status, 0);
}

TEST(Predict, OverwritesNoFileOfItsGraphAndOfNoRun) {
  const Workplace place;
  SmallGraph().write(place, "graph");
  const auto train = [&](const std::vector<std::string>& more) {
    const Outcome outcome =
        run(place, joined({"train", "--dataset", "graph", "--method", "gcn", "--preset", "none",
                           "--set", "fit.epochs=3", "--quiet", "--out"},
                          more));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  };
  train({"runs", "--runs", "2"});
  train({"other"});
  for (const char* file :
       {"graph/nodes.csv", "graph/edges.csv", "runs/results.json", "runs/seed-0/metrics.jsonl",
        "runs/seed-1/model.safetensors", "other/results.json"}) {
    const std::string before = read(place.path() / file);
    expect_one_line(run(place, {"predict", "--run", "runs/seed-0", "--out", file}), 2,
                    "would be overwritten");
    EXPECT_EQ(read(place.path() / file), before);
  }
  EXPECT_EQ(run(place, {"predict", "--run", "other", "--out", "graph/new.csv"}).status, 0);
}

TEST(Predict, RepeatsTheNodesOfTheRun) {
  struct Case {
    const char *dataset, *method;
    std::vector<std::string> more;
  };
  const std::vector<std::string> em = joined(kShortEm, {"--set", "em.keep=above-prior"});
  const std::vector<std::string> plain = {"--set", "fit.epochs=6"};
  for (const auto& [dataset, method, more] :
       {Case{"noisy-relations", "em-gcn", em}, Case{"noisy-citations", "em-gcn", em},
        Case{"noisy-relations", "acm-gcn+", joined(plain, {"--set", "model.structure=true"})},
        Case{"noisy-citations",
             "em-gcn",
             {"--set", "em.recipe=held-out", "--set", "em.rounds=1", "--set", "em.steps=2", "--set",
              "em.folds=2", "--set", "space.step=0.5"}},
        Case{"noisy-relations", "gat", plain}, Case{"noisy-relations", "mlp", plain},
        Case{"noisy-citations", "label-propagation", {}}}) {
    const Workplace place;
    const Outcome trained = run(
        place,
        joined(joined(kTrain, more), {"--dataset", dataset, "--method", method, "--seed", "3"}));
    ASSERT_EQ(trained.status, 0) << trained.err;
    const Outcome outcome = run(place, predicting());
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read(place.path() / "new.csv"), read(place.path() / "run/predictions.csv"))
        << dataset << " " << method;
  }
}

// Networks that were trained without parts of the labels predict where there are none, and with the
// views of the model, whatever would suit the other graph.
TEST(Predict, HeldOutModelsServeDataWithoutLabels) {
  const Workplace place;
  const fs::path example = fs::path(testing::kSourceDir) / "examples/own-graph";
  const Outcome trained =
      run(place, joined(kTrain, {"--dataset", example.string(), "--method", "em-gcn", "--set",
                                 "em.recipe=held-out", "--set", "em.rounds=1", "--set",
                                 "em.steps=2", "--set", "em.folds=2"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const std::string model = read(place.path() / "run/model.safetensors");
  EXPECT_NE(model.find("given, joined, knn:5"), std::string::npos);  // what auto stands for
  fs::create_directory(place.path() / "unlabelled");
  fs::copy_file(example / "edges.csv", place.path() / "unlabelled/edges.csv");
  fs::copy_file(example / "nodes.csv", place.path() / "unlabelled/nodes.csv");
  const Outcome outcome = run(place, predicting({"--dataset", "unlabelled"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  write(place, "mine.csv", small_table());
  ASSERT_EQ(run(place, small_training({"--out", "molecules", "--set", "em.recipe=held-out", "--set",
                                       "em.folds=2"}))
                .status,
            0);
  const Outcome molecules =
      run(place, {"predict", "--run", "molecules", "--dataset", "mine.csv", "--out", "m.csv"});
  EXPECT_EQ(molecules.status, 0) << molecules.err;
}

TEST(Predict, AnotherGraphNeedsTheFeaturesAndEdgeTypesOfTheRun) {
  const Workplace place;
  const fs::path example = fs::path(testing::kSourceDir) / "examples/own-graph";
  const Outcome trained = run(place, joined(joined(kTrain, kShortEm),
                                            {"--dataset", example.string(), "--method", "em-gcn"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  // The same graph under another name, without labels and split.
  fs::create_directory(place.path() / "unlabelled");
  fs::copy_file(example / "edges.csv", place.path() / "unlabelled/edges.csv");
  std::istringstream nodes(read(example / "nodes.csv"));
  std::string kept;
  for (std::string line; std::getline(nodes, line);) {
    if (kept.empty()) {
      ASSERT_TRUE(line.starts_with("id,type,label,split,")) << line;
    } else {
      // id,type,label,split,... -> id,type,,,...
      size_t comma = line.find(',', line.find(',') + 1);
      const size_t end = line.find(',', line.find(',', comma + 1) + 1);
      line = line.substr(0, comma + 1) + "," + line.substr(end);
    }
    kept += line + "\n";
  }
  write(place, "unlabelled/nodes.csv", kept);
  const Outcome outcome = run(place, predicting({"--dataset", "unlabelled"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string here = read(place.path() / "new.csv");
  const std::string there = read(place.path() / "run/predictions.csv");
  EXPECT_EQ(columns(here, {0, 3, 4, 5}), columns(there, {0, 3, 4, 5}));
  expect_one_line(run(place, {"evaluate", "--run", "run", "--dataset", "unlabelled", "--quiet"}), 2,
                  "unlabelled: no row has a label that the model knows");

  expect_one_line(
      run(place, predicting({"--dataset", "noisy-relations"})), 2,
      "noisy-relations does not fit the model: it lacks the edge types friend, read, wrote");
  expect_one_line(run(place, predicting({"--dataset", "toy-molecules"})), 2,
                  "it is a table of molecules, and the model was trained on a graph");
}

TEST(Predict, WhateverIsWrongIsOneLineAndNoFile) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  ASSERT_EQ(run(place, small_training({"--out", "run"})).status, 0);
  ASSERT_EQ(run(place, small_training({"--out", "runs", "--runs", "2"})).status, 0);
  write(place, "empty.csv", "");
  write(place, "bad.csv", "SMILES\nC1CC\n");
  write(place, "other.csv", "structure\nCC\n");
  expect_one_line(run(place, predicting({"--dataset", "noisy-relations"})), 2,
                  "method em-gcn-star is for molecules, and noisy-relations is a graph");
  expect_one_line(run(place, predicting({"--dataset", "none.csv"})), 2, "none.csv");
  expect_one_line(run(place, predicting({"--dataset", "empty.csv"})), 3, "empty.csv");
  expect_one_line(run(place, predicting({"--dataset", "bad.csv"})), 3, "all 1 rows are rejected");
  expect_one_line(run(place, predicting({"--dataset", "other.csv"})), 3, "no column \"SMILES\"");
  expect_one_line(run(place, predicting({"--threads", "0"})), 2, "--threads must be");
  expect_one_line(run(place, {"predict", "--run", "runs", "--out", "new.csv"}), 2, "several runs");
  fs::remove(place.path() / "mine.csv");
  expect_one_line(run(place, predicting()), 2, "mine.csv");
  write(place, "mine.csv", small_table());
  expect_one_line(run(place, {"predict", "--run", "run", "--out", "no/new.csv", "--quiet"}), 1,
                  "no/new.csv");
  write(place, "run/model.safetensors", "not a model");
  expect_one_line(run(place, predicting()), 3, "run/model.safetensors: damaged");
  EXPECT_FALSE(fs::exists(place.path() / "new.csv"));
}

}  // namespace
}  // namespace emgnn::cli_test
