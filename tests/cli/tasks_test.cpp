// SPDX-License-Identifier: Apache-2.0
// What can be learned, from a user's files to the scores: several labels at once, values of nodes,
// and 0/1 or several targets of molecules.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/small_graph.h"
#include "cli/small_molecules.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

const Names kLabelScores = {"micro_f1",          "macro_f1", "accuracy", "exact_match", "roc_auc",
                            "average_precision", "nll",      "brier",    "ece"};
const Names kValueScores = {"rmse", "mae", "r2"};
const Names kSpreadScores = {"nll", "calibration_error", "coverage_90", "spread_error_correlation"};

constexpr int kNodes = 90;
const std::array<const char*, 3> kParts = {"train", "validation", "test"};

const char* part_of(int i) { return kParts[size_t(i / 6 % 3)]; }

// A ring whose edges join i and i + 6; `label` says what is known of a node. Two features: a hint
// that is wrong for every fifth node, and the node's place in its group of six.
template <class Label>
void write_ring(const Workplace& place, const std::string& folder, int nodes, const Label& label) {
  std::string table = "id,label,split,hint,place\n", edges = "source,target\n";
  for (int i = 0; i < nodes; ++i) {
    const std::string id = "n" + std::to_string(i);
    const int hint = i % 5 == 0 ? 5 - i % 6 : i % 6;
    table += id + "," + label(i) + "," + part_of(i) + "," + std::to_string(hint) + "," +
             std::to_string(i % 6 == 0 ? 1 : 0) + "\n";
    edges += id + ",n" + std::to_string((i + 6) % nodes) + "\n";
  }
  std::filesystem::create_directory(place.path() / folder);
  write(place, folder + "/nodes.csv", table);
  write(place, folder + "/edges.csv", edges);
}

bool has_label(int i, char name) {
  const int place = i % 6;
  return name == 'a' ? place < 2 : name == 'b' ? place % 2 == 1 : place > 3;
}

// "a;b", "c", or ";" for none of them.
std::string labels_of(int i) {
  std::string out;
  for (char name : {'a', 'b', 'c'})
    if (has_label(i, name)) out += (out.empty() ? "" : ";") + std::string(1, name);
  return out.empty() ? ";" : out;
}

// Hardly two are equal: they cannot be taken for classes.
std::string value_of(int i) { return std::to_string(0.25 + 1.5 * (i % 6) + 0.001 * (i / 6)); }

Names train(const std::string& dataset, const std::string& method, const Names& more = {}) {
  const Names length = method.starts_with("em-")
                           ? Names{"--set", "em.rounds=4", "--set", "em.steps=40"}
                           : Names{"--set", "fit.epochs=200"};
  return joined(joined({"train", "--dataset", dataset, "--method", method, "--quiet", "--set",
                        "optim.learning_rate=0.02", "--set", "optim.weight_decay=0"},
                       length),
                more);
}

Json json_of(const Workplace& place, const Names& call) {
  const Outcome outcome = run(place, call);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

Names keys(const Json& json) {
  Names out;
  for (const auto& [key, value] : json.items()) out.push_back(key);
  return out;
}

void expect_scores(const Json& json, const Names& names) {
  EXPECT_EQ(keys(json["runs"][0]["test"]), names);
  EXPECT_EQ(keys(json["runs"][0]["validation"]), joined({"loss"}, names));
  EXPECT_EQ(keys(json["mean"]), names);
  EXPECT_EQ(keys(json["std"]), names);
}

// emgnn evaluate repeats the scores of the run on its own data, and scores other data as a whole.
void expect_evaluation(const Workplace& place, const Json& trained, const std::string& other,
                       int64_t other_rows) {
  const Json own = json_of(place, {"evaluate", "--run", "run", "--json", "--quiet"});
  EXPECT_EQ(own["method"], trained["method"]);
  const auto data = place.path() / trained["dataset"].get<std::string>();
  EXPECT_EQ(own["dataset"], std::filesystem::canonical(data).string());
  ASSERT_EQ(keys(own["parts"]), Names({"train", "validation", "test"}));
  for (const char* part : {"validation", "test"}) {
    for (const auto& [name, value] : trained["runs"][0][part].items())
      EXPECT_EQ(own["parts"][part][name], value) << part << " " << name;
  }
  const Json all =
      json_of(place, {"evaluate", "--run", "run", "--dataset", other, "--json", "--quiet"});
  ASSERT_EQ(keys(all["parts"]), Names({"all"}));
  EXPECT_EQ(all["parts"]["all"]["rows"], other_rows);
  Names scores = keys(all["parts"]["all"]);
  scores.resize(2 + trained["mean"].size());  // what follows is of evaluate alone
  EXPECT_EQ(scores, joined({"rows", "loss"}, keys(trained["mean"])));
  const Outcome table = run(place, {"evaluate", "--run", "run", "--quiet"});
  EXPECT_EQ(table.status, 0) << table.err;
  for (const char* word : {"train", "validation", "test", "rows"})
    EXPECT_NE(table.out.find(word), std::string::npos) << table.out;
}

// The columns of one label.
std::string of_label(const std::string& name) {
  std::string out;
  for (const char* what : {"p", "entropy", "graph_information", "network_information",
                           "within_entropy", "mean_entropy"})
    out += std::string(",") + what + "(" + name + ")";
  return out;
}

std::string header_of(const std::string& csv) { return csv.substr(0, csv.find('\n')); }

TEST(Tasks, SeveralLabelsOfANode) {
  for (const char* method : {"gcn", "em-gcn"}) {
    const Workplace place;
    write_ring(place, "ring", kNodes, labels_of);
    write_ring(place, "larger", 120, labels_of);
    const Json json = json_of(place, train("ring", method, {"--json", "--out", "run"}));
    expect_scores(json, kLabelScores);
    // Of six places two have a, three b and two c: to call all of them b is right in three of nine
    // entries, and to give every label to all has precision 7/18: F1 = 14/25.
    const Json& test = json["runs"][0]["test"];
    EXPECT_GT(test["micro_f1"].get<double>(), 14.0 / 25.0 + 0.1) << method;
    EXPECT_GT(test["roc_auc"].get<double>(), 0.75) << method;  // 0.5 for any constant
    const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
    EXPECT_LT(test["nll"].get<double>(), (2 * entropy(1.0 / 3.0) + entropy(0.5)) / 3) << method;

    const std::string own = read(place.path() / "run/predictions.csv");
    EXPECT_EQ(header_of(own),
              "node,split,label,predicted" + of_label("a") + of_label("b") + of_label("c"));
    EXPECT_EQ(column(own, "label")["n1"], "a;b");
    const Outcome predicted =
        run(place, {"predict", "--run", "run", "--dataset", "larger", "--out", "new.csv"});
    ASSERT_EQ(predicted.status, 0) << predicted.err;
    EXPECT_EQ(header_of(read(place.path() / "new.csv")), header_of(own));
    EXPECT_EQ(rows(read(place.path() / "new.csv")).size(), 121U);
    expect_evaluation(place, json, "larger", 120);
  }
}

TEST(Tasks, AValueOfANode) {
  for (const char* method : {"gcn", "em-gcn", "mlp"}) {
    const Workplace place;
    write_ring(place, "ring", kNodes, value_of);
    write_ring(place, "larger", 120, value_of);
    const Json json = json_of(place, train("ring", method, {"--json", "--out", "run"}));
    // The recipe of em-gcn on data of one's own calibrates: its values have a standard deviation.
    const bool calibrated = json["config"]["calibrate"] == "validation";
    EXPECT_EQ(calibrated, std::string(method) == "em-gcn");
    expect_scores(json, calibrated ? joined(kValueScores, kSpreadScores) : kValueScores);
    const Json& test = json["runs"][0]["test"];
    // The deviation of the values: what the mean as the answer would get.
    EXPECT_LT(test["rmse"].get<double>(), 0.7 * 1.5 * std::sqrt(35.0 / 12.0)) << method;
    EXPECT_GT(test["r2"].get<double>(), 0.5) << method;

    const std::string own = read(place.path() / "run/predictions.csv");
    EXPECT_EQ(header_of(own), std::string("node,split,target,value,graph_std,network_std") +
                                  (calibrated ? ",noise_std,std" : ""));
    EXPECT_EQ(column(own, "target")["n1"], "1.75");
    ASSERT_EQ(run(place, {"predict", "--run", "run", "--out", "new.csv"}).status, 0);
    EXPECT_EQ(read(place.path() / "new.csv"), own);
    expect_evaluation(place, json, "larger", 120);
  }
}

// Chains with and without oxygen: 1 where there is one.
std::string binary_table(int longest) {
  std::string text = "SMILES,active\n";
  for (int length = 1; length <= longest; ++length) {
    for (const char* end : {"", "O", "N", "OC"}) {
      text += std::string(size_t(length), 'C') + end + "," + (*end == 'O' ? "1" : "0") + "\n";
    }
  }
  return text;
}

const Names kMolecules = {"--set", "data.smiles=SMILES", "--set", "model.hidden=16",
                          "--set", "optim.batch=8",      "--set", "fit.epochs=40"};

Names train_molecules(const std::string& targets, const Names& more) {
  return joined(joined({"train", "--dataset", "mine.csv", "--method", "gcn", "--quiet", "--set",
                        "data.target=" + targets},
                       kMolecules),
                more);
}

TEST(Tasks, MoleculesWithAZeroOrOne) {
  const Workplace place;
  write(place, "mine.csv", binary_table(15));
  write(place, "other.csv", binary_table(5) + "C1CC,1\n");
  const Json json = json_of(place, train_molecules("active", {"--json", "--out", "run"}));
  expect_scores(json, kLabelScores);
  const Json& test = json["runs"][0]["test"];
  EXPECT_GT(test["roc_auc"].get<double>(), 0.9);  // 0.5 for any constant
  EXPECT_GT(test["accuracy"].get<double>(), 0.8);
  EXPECT_EQ(header_of(read(place.path() / "run/predictions.csv")),
            "row,smiles,split,label,predicted" + of_label("active"));
  const Outcome predicted =
      run(place, {"predict", "--run", "run", "--dataset", "other.csv", "--out", "new.csv"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_EQ(predicted.out, "20 predicted, 1 rejected: new.csv\n");
  const std::string table = read(place.path() / "new.csv");
  EXPECT_EQ(header_of(table), "row,smiles,predicted" + of_label("active") + ",rejected");
  EXPECT_NE(table.find("\n21,C1CC,,,,,,,,not a SMILES string\n"), std::string::npos) << table;
  expect_evaluation(place, json, "other.csv", 20);
}

// `size` is known of every molecule but each third, `polar` but each fifth.
std::string two_targets(int longest) {
  std::string text = "SMILES,size,polar\n";
  int row = 0;
  for (int length = 1; length <= longest; ++length) {
    for (const char* end : {"", "O", "N", "Cl"}) {
      ++row;
      const std::string polar = std::to_string(0.1 * length + (*end == 'O' ? 2.5 : 0.5));
      text += std::string(size_t(length), 'C') + end + "," +
              (row % 3 == 0 ? "" : std::to_string(1.5 * length)) + "," +
              (row % 5 == 0 ? "" : polar) + "\n";
    }
  }
  return text;
}

TEST(Tasks, MoleculesWithTwoTargetsAndGaps) {
  const Workplace place;
  write(place, "mine.csv", two_targets(12));
  write(place, "other.csv", two_targets(5));
  const Json json = json_of(place, train_molecules("size,polar", {"--json", "--out", "run"}));
  expect_scores(json, kValueScores);
  EXPECT_GT(json["runs"][0]["test"]["r2"].get<double>(), 0.3);  // 0 for the mean of each target
  const std::string own = read(place.path() / "run/predictions.csv");
  EXPECT_EQ(header_of(own),
            "row,smiles,split,target(size),value(size),graph_std(size),network_std(size),"
            "target(polar),value(polar),graph_std(polar),network_std(polar)");
  EXPECT_EQ(rows(own).size(), 1U + 48 - 48 / 15);  // row 15, 30 and 45 have neither
  EXPECT_EQ(column(own, "target(size)")["3"], "");
  EXPECT_NE(column(own, "value(size)")["3"], "");
  EXPECT_EQ(column(own, "target(size)")["5"], "3");
  EXPECT_EQ(column(own, "target(polar)")["5"], "");
  ASSERT_EQ(
      run(place, {"predict", "--run", "run", "--dataset", "other.csv", "--out", "new.csv"}).status,
      0);
  const std::string table = read(place.path() / "new.csv");
  EXPECT_EQ(header_of(table),
            "row,smiles,value(size),graph_std(size),network_std(size),value(polar),"
            "graph_std(polar),network_std(polar),rejected");
  EXPECT_EQ(rows(table).size(), 21U);
  expect_evaluation(place, json, "other.csv", 19);
}

TEST(Tasks, AnyScoreOfTheTaskDecidesAndNoOther) {
  const Workplace place;
  SmallGraph().write(place, "classes");
  write_ring(place, "labels", kNodes, labels_of);
  write_ring(place, "values", kNodes, value_of);
  const auto with = [&](const char* dataset, const std::string& setting) {
    return run(place, train(dataset, "gcn", {"--set", setting, "--set", "fit.epochs=5"}));
  };
  const std::vector<std::pair<const char*, Names>> good = {
      {"classes", {"macro_f1", "roc_auc", "ece", "loss-and-accuracy", "score"}},
      {"labels", {"macro_f1", "roc_auc", "average_precision", "exact_match"}},
      {"values", {"rmse", "r2", "never"}}};
  for (const auto& [dataset, rules] : good)
    for (const std::string& rule : rules) {
      const Outcome outcome = with(dataset, "stop.rule=" + rule);
      EXPECT_EQ(outcome.status, 0) << dataset << " " << rule << ": " << outcome.err;
    }
  expect_one_line(with("classes", "stop.rule=rmse"), 2,
                  "micro_f1, macro_f1, accuracy, balanced_accuracy, roc_auc, average_precision, "
                  "nll, brier, ece, score, got \"rmse\"");
  expect_one_line(with("values", "stop.rule=roc_auc"), 2,
                  "stop.rule: expected one of loss, never, rmse, mae, r2, score, got \"roc_auc\"");
  // Every validation node has both labels: there is nobody to rank them against.
  write_ring(place, "alike", kNodes,
             [](int i) { return part_of(i) == kParts[1] || i % 2 == 0 ? "a;b" : ";"; });
  EXPECT_EQ(with("alike", "stop.rule=micro_f1").status, 0);
  expect_one_line(with("alike", "stop.rule=roc_auc"), 2,
                  "stop.rule: roc_auc is not defined on the validation rows");
  for (const char* dataset : {"classes", "labels"})
    EXPECT_EQ(with(dataset, "task.class_weights=balanced").status, 0) << dataset;
  expect_one_line(with("values", "task.class_weights=balanced"), 2,
                  "--set: task.class_weights is not read by gcn on this data");
  EXPECT_EQ(with("values", "task.loss=smooth-l1").status, 0);
  expect_one_line(with("classes", "task.loss=smooth-l1"), 2, "task.loss is not read by gcn");
}

TEST(Tasks, TheUserHasTheLastWordOnTheTask) {
  const Workplace place;
  write_ring(place, "whole", kNodes, [](int i) { return std::to_string(i % 6); });
  const auto task = [&](const Names& more) {
    const Json json = json_of(place, train("whole", "gcn", joined(more, {"--json"})));
    return keys(json["mean"]);
  };
  EXPECT_EQ(task({})[0], "micro_f1");  // six classes
  EXPECT_EQ(task({"--set", "task=values"}), kValueScores);
  EXPECT_EQ(task({"--set", "task=labels"}), kLabelScores);
  EXPECT_EQ(
      Json::parse(
          run(place, {"data", "info", "whole", "--set", "task=values", "--json"}).out)["task"],
      "values");
  write_ring(place, "texts", kNodes, [](int i) { return i % 2 == 0 ? "red" : "blue"; });
  expect_one_line(run(place, train("texts", "gcn", {"--set", "task=values"})), 3,
                  "texts/nodes.csv");
  expect_one_line(
      run(place, train("texts", "gcn", {"--set", "task=classes", "--set", "task=colour"})), 2,
      "colour");
  // A method that knows one kind only.
  expect_one_line(run(place, {"train", "--dataset", "whole", "--method", "label-propagation",
                              "--quiet", "--set", "task=values"}),
                  2, "label-propagation is for one class per node");
}

TEST(Tasks, AHiddenTestIsNowhere) {
  const Workplace place;
  SmallGraph().write(place, "graph");
  const Names call = {"train",  "--dataset", "graph", "--method",      "gcn",   "--quiet",
                      "--runs", "2",         "--set", "fit.epochs=20", "--out", "run"};
  const Names hidden = joined(call, {"--hide-test"});
  const Outcome table = run(place, hidden);
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(table.out.starts_with("gcn on graph, validation scores in %\n")) << table.out;
  EXPECT_EQ(table.out.find("test"), std::string::npos) << table.out;
  const Json json = json_of(place, joined(hidden, {"--json"}));
  double sum = 0.0;
  for (const Json& one : json["runs"]) {
    EXPECT_TRUE(one["test"].is_null());
    sum += one["validation"]["accuracy"].get<double>();
  }
  EXPECT_DOUBLE_EQ(json["mean"]["accuracy"].get<double>(), sum / 2);
  for (const char* file : {"run/results.json", "run/seed-0/results.json"})
    EXPECT_TRUE(Json::parse(read(place.path() / file))["runs"][0]["test"].is_null()) << file;
  EXPECT_EQ(read(place.path() / "run/seed-0/metrics.jsonl").find("test"), std::string::npos);
  // The scores that were not computed cannot be shown later.
  expect_one_line(run(place, call), 2, "made without test scores: add --hide-test");
}

TEST(Tasks, AHiddenTestIsNotReadBackEither) {
  const Workplace place;
  SmallGraph().write(place, "graph");
  const Names call = {"train",  "--dataset", "graph",        "--method", "gcn", "--quiet",
                      "--json", "--set",     "fit.epochs=5", "--out",    "run"};
  ASSERT_FALSE(json_of(place, call)["runs"][0]["test"].is_null());
  EXPECT_TRUE(json_of(place, joined(call, {"--hide-test"}))["runs"][0]["test"].is_null());
}

}  // namespace
}  // namespace emgnn::cli_test
