// SPDX-License-Identifier: Apache-2.0
// emgnn train on tables of molecules.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/program.h"
#include "cli/small_molecules.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

int64_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(Molecules, PrintTheirErrorsAsJson) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  const Outcome outcome = run(place, small_training({"--json", "--runs", "2", "--seed", "4"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["method"], "em-gcn-star");
  EXPECT_EQ(json["config"]["data.target"], "y");
  ASSERT_EQ(json["runs"].size(), 2U);
  for (const Json& one : json["runs"]) {
    for (const char* key : {"rmse", "mae", "r2"}) {
      EXPECT_TRUE(one["test"][key].is_number()) << key;
      EXPECT_TRUE(one["validation"][key].is_number()) << key;
      EXPECT_TRUE(json["mean"][key].is_number()) << key;
      EXPECT_TRUE(json["std"][key].is_number()) << key;
    }
    EXPECT_FALSE(one["test"].contains("accuracy"));
    EXPECT_TRUE(one["validation"]["loss"].is_number());
  }
  ASSERT_EQ(json["posterior"].size(), 19U);  // 1, 1.5, ..., 10 Å
  double total = 0.0;
  for (const Json& point : json["posterior"]) {
    EXPECT_EQ(point["lambda"].size(), 1U);
    total += point["p"].get<double>();
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
}

// The same with views in place of distances; the step comes before anything says that it is read.
std::vector<std::string> training_on_views(const std::string& views,
                                           const std::vector<std::string>& more = {}) {
  std::vector<std::string> call = small_training(more);
  std::replace(call.begin(), call.end(), std::string("space.radius_step=0.5"),
               std::string("space.step=0.25"));
  call.insert(call.end(), {"--set", "space.views=" + views});
  return call;
}

TEST(Molecules, MixViewsOnThemAndPredictWithThem) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  const Outcome outcome =
      run(place, training_on_views("bonds, two-bonds, shell:2-4", {"--json", "--out", "views"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["lambda_names"], Json({"bonds", "two-bonds", "shell:2-4", "none"}));
  EXPECT_FALSE(json["config"].contains("space.radius_step"));
  const Outcome predicted = run(place, {"predict", "--run", "views", "--out", "again.csv"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_EQ(lines(read(place.path() / "again.csv")), 41);
  const Outcome bad = run(place, training_on_views("bonds, shell:4-2"));
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(lines(bad.err), 1) << bad.err;
  EXPECT_NE(bad.err.find("shell:4-2"), std::string::npos) << bad.err;
  const Outcome both = run(place, training_on_views("bonds", {"--set", "space.first_radius=2"}));
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("space.first_radius is not read"), std::string::npos) << both.err;
}

TEST(Molecules, EveryRunHasARandomSplitOfItsOwn) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  const std::vector<std::string> both = small_training({"--runs", "2", "--out", "both", "--json"});
  const std::vector<std::string> second =
      small_training({"--seed", "1", "--out", "second", "--json"});
  ASSERT_EQ(run(place, both).status, 0);
  ASSERT_EQ(run(place, second).status, 0);
  const auto predictions = [&](const char* folder) {
    return read(place.path() / folder / "predictions.csv");
  };
  EXPECT_NE(predictions("both/seed-0"), predictions("both/seed-1"));
  EXPECT_EQ(predictions("second"), predictions("both/seed-1"));
}

TEST(Molecules, WriteAFolderKeyedByTheUsersRows) {
  const Workplace place;
  std::string table = small_table();
  table += "broken,C1CC,3\nno value,CC,\nsalt,[Na+].[Cl-],2\nbig," + std::string(500, 'C') + ",1\n";
  write(place, "mine.csv", table);
  std::vector<std::string> call = small_training({"--out", "run"});
  std::erase(call, "--quiet");
  const Outcome outcome = run(place, call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("mine.csv: 3 of 44 rows are left out, row 41 because: not a SMILES"),
            std::string::npos)
      << outcome.err;
  const std::filesystem::path folder = place.path() / "run";
  for (const char* file : {"config.toml", "manifest.json", "metrics.jsonl", "posterior.csv",
                           "results.json", "model.safetensors", "checkpoint/state.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  }
  const std::string predictions = read(folder / "predictions.csv");
  EXPECT_TRUE(predictions.starts_with("row,smiles,split,target,value,graph_std,network_std\n1,C,"))
      << predictions;
  EXPECT_EQ(lines(predictions), 1 + 40 + 1);
  EXPECT_TRUE(std::regex_search(
      predictions, std::regex("\n43,\\[Na\\+\\]\\.\\[Cl-\\],(train|validation|test),2,\\S+\n$")))
      << predictions;
  const std::string rejects = read(folder / "rejects.csv");
  EXPECT_EQ(lines(rejects), 1 + 3) << rejects;
  EXPECT_NE(rejects.find("\n41,C1CC,"), std::string::npos) << rejects;
  EXPECT_NE(rejects.find("\n42,CC,no value of y"), std::string::npos) << rejects;
  EXPECT_NE(rejects.find("\n44,CCC"), std::string::npos) << rejects;
  const Json manifest = Json::parse(read(folder / "manifest.json"));
  EXPECT_EQ(manifest["data"]["molecules"], 41);
  EXPECT_EQ(manifest["data"]["rejects"], 3);
  EXPECT_EQ(manifest["data"]["targets"], Json({"y"}));
  const std::string metrics = read(folder / "metrics.jsonl");
  EXPECT_NE(metrics.find("validation_rmse"), std::string::npos);
}

TEST(Molecules, RepeatThemselvesOnAnyNumberOfThreads) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  const std::string one = timeless(run(place, small_training({"--json", "--threads", "1"})));
  EXPECT_EQ(timeless(run(place, small_training({"--json", "--threads", "3"}))), one);
}

TEST(Molecules, GoOnAfterCtrlCAsIfNothingHadHappened) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  const auto call_into = [](const char* folder) {
    return small_training({"--json", "--out", folder, "--set", "em.rounds=60", "--set",
                           "model.norm=batch", "--set", "stop.rule=never"});
  };
  const std::vector<std::string> call = call_into("run");
  Program program(place, call);
  program.wait_until_written(place.path() / "run/metrics.jsonl", 2000);
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  EXPECT_EQ(stopped.status, 4) << stopped.err;
  EXPECT_NE(stopped.err.find("the checkpoint is in run; to resume: "), std::string::npos)
      << stopped.err;
  EXPECT_EQ(timeless(run(place, call)), timeless(run(place, call_into("straight"))));
  for (const char* file : {"predictions.csv", "metrics.jsonl", "model.safetensors"})
    EXPECT_EQ(read(place.path() / "run" / file), read(place.path() / "straight" / file)) << file;
}

TEST(Molecules, TrainOnTheBondsAlone) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  for (const char* method : {"gcn-star", "gcn", "gat", "gin", "weave", "mpnn", "attentivefp"}) {
    const Outcome outcome =
        run(place, {"train", "--dataset", "mine.csv", "--method", method, "--quiet", "--json",
                    "--set", "data.smiles=SMILES", "--set", "data.target=y", "--set",
                    "fit.epochs=4", "--set", "model.hidden=8", "--set", "optim.batch=8"});
    ASSERT_EQ(outcome.status, 0) << method << ": " << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["posterior"], Json::array()) << method;
    EXPECT_EQ(json["lambda_names"], Json::array()) << method;
    EXPECT_FALSE(json.contains("graphs")) << method;
    EXPECT_EQ(json["posterior_informative"], false) << method;
    EXPECT_EQ(json["runs"][0]["em_iterations"], 0) << method;
    EXPECT_EQ(json["runs"][0]["epochs"], 4) << method;
    EXPECT_EQ(json["config"]["data.conformers"], 0) << method;
  }
}

TEST(Molecules, RefuseSettingsThatTheNetworkDoesNotRead) {
  const Workplace place;
  write(place, "mine.csv", small_table());
  const auto train = [&](const std::string& method, std::vector<std::string> settings) {
    std::vector<std::string> call = {"train",    "--dataset", "mine.csv",
                                     "--method", method,      "--quiet"};
    settings.insert(settings.end(), {"data.smiles=SMILES", "data.target=y", "fit.epochs=1"});
    for (const std::string& setting : settings) call.insert(call.end(), {"--set", setting});
    return run(place, call);
  };
  for (const char* method : {"gat", "attentivefp"})
    expect_one_line(train(method, {"space.aggregation=mean"}), 2, "space.aggregation");
  expect_one_line(train("gin", {"model.learn_epsilon=true"}), 2,
                  "model.learn_epsilon is not read by gin on this data");
  expect_one_line(train("gin", {"model.bond_features=false", "model.form=plain"}), 2,
                  "is not read by gin on this data");
  EXPECT_EQ(train("gin", {"model.jumping=sum", "model.norm=layer", "model.form=plain"}).status, 0);
  EXPECT_EQ(train("gin", {"model.learn_epsilon=true", "model.form=plain"}).status, 0);
  expect_one_line(train("mpnn", {"space.edge_distances=true"}), 2,
                  "space.edge_distances needs coordinates; data.conformers must be at least 1");
  EXPECT_EQ(train("mpnn", {"space.edge_distances=true", "data.conformers=1"}).status, 0);
  expect_one_line(train("gcn", {"space.edge_distances=true"}), 2, "space.edge_distances");
}

struct BadTable {
  std::string text;
  std::vector<std::string> more;
  int status;
  std::string part;  // of the message
};

TEST(Molecules, WhateverIsWrongIsOneLine) {
  const std::string good = small_table();
  const std::vector<BadTable> cases = {
      {"", {}, 3, "mine.csv"},
      {"name,SMILES,y\n", {}, 3, "mine.csv: no molecule"},
      {"SMILES,y\nC1CC,1\nxyz,2\n", {}, 3, "all 2 rows are rejected, row 1 because"},
      {good, {"--set", "data.smiles=smiles"}, 3, "no column \"smiles\""},
      {good, {"--set", "data.target=z"}, 3, "no column \"z\""},
      {good, {"--set", "data.target=name"}, 3, "mine.csv: line 2"},
      {good, {"--set", "data.target="}, 2, "--set data.target=COLUMN"},
      {"SMILES,y\nC,1\nCC,2\n", {}, 3, "2 molecules give"},
      {good, {"--set", "split=random:0.9/0.05/0.2"}, 2, "split \"random:0.9/0.05/0.2\""},
      {good, {"--set", "split=column"}, 2, "data.split=COLUMN"},
      {good, {"--set", "split=halves"}, 2, "valid: random, random:A/B/C, scaffold"},
      {good, {"--set", "data.conformers=0"}, 2, "data.conformers must be at least 1"},
      {good,
       {"--set", "stop.rule=accuracy"},
       2,
       "expected one of loss, never, rmse, mae, r2, score, got \"accuracy\""},
      {good, {"--set", "optim.batch=1"}, 2, "optim.batch"},
      {good, {"--set", "perturb=10"}, 2, "unknown key \"perturb\" for em-gcn-star"},
      {good, {"--set", "space.radius_step=0.7"}, 2, "radius"},
      {good,
       {"--method", "em-acm"},
       2,
       "method em-acm is for the nodes of a graph, and mine.csv is a table of molecules; use gcn,"},
      {good, {"--dataset", "none.csv"}, 2, "none.csv"},
  };
  for (const BadTable& bad : cases) {
    const Workplace place;
    write(place, "mine.csv", bad.text);
    std::vector<std::string> call = small_training(bad.more);
    // An option that is given twice is another mistake.
    for (const char* option : {"--method", "--dataset"}) {
      if (std::count(call.begin(), call.end(), option) < 2) continue;
      const auto first = std::find(call.begin(), call.end(), option);
      call.erase(first, first + 2);
    }
    expect_one_line(run(place, call), bad.status, bad.part);
    EXPECT_FALSE(std::filesystem::exists(place.path() / "run"));
  }
}

}  // namespace
}  // namespace emgnn::cli_test
