// SPDX-License-Identifier: Apache-2.0
// emgnn evaluate with intervals, scores of classes and coverage; prediction sets of emgnn predict.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

void train(const Workplace& place, const std::string& data,
           const std::vector<std::string>& settings = {}, const std::string& method = "gcn") {
  std::vector<std::string> call = {"train", "--dataset", data,      "--method", method,
                                   "--out", "run",       "--quiet", "--set",    "model.hidden=8"};
  if (method == "gcn") call.insert(call.end(), {"--set", "fit.epochs=15"});
  for (const std::string& setting : settings) call.insert(call.end(), {"--set", setting});
  const Outcome outcome = run(place, call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

Outcome evaluate(const Workplace& place, const std::vector<std::string>& more = {}) {
  return run(place, joined({"evaluate", "--run", "run", "--quiet"}, more));
}

Json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out);
}

std::string table_of(const Workplace& place, const std::vector<std::string>& more = {}) {
  const Outcome outcome =
      run(place, joined({"predict", "--run", "run", "--quiet", "--out", "table.csv"}, more));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return read(place.path() / "table.csv");
}

double number(const std::string& text) { return std::stod(text); }

TEST(Evaluate, HasIntervalsScoresOfClassesAndReliability) {
  const Workplace place;
  train(place, "noisy-relations");
  const Json got = json_of(evaluate(place, {"--json"}));
  EXPECT_EQ(got["bootstrap"], Json::parse(R"({"resamples":1000,"confidence":0.95,"seed":0})"));
  for (const char* name : {"train", "validation", "test"}) {
    const Json& part = got["parts"][name];
    for (const char* score : {"accuracy", "macro_f1", "roc_auc", "nll", "ece"}) {
      const Json& interval = part["intervals"][score];
      ASSERT_EQ(interval.size(), 2U) << score;
      EXPECT_LE(interval[0], interval[1]) << name << " " << score;
    }
    // An accuracy lies in the middle of its resamples; an ECE need not: noise can only raise it.
    EXPECT_LE(part["intervals"]["accuracy"][0], part["accuracy"]);
    EXPECT_GE(part["intervals"]["accuracy"][1], part["accuracy"]);
    EXPECT_EQ(part["per_class"].size(), 3U);
    double f1 = 0.0;
    int64_t support = 0, rows = 0;
    for (const auto& [cls, scores] : part["per_class"].items()) {
      f1 += scores["f1"].get<double>() / 3.0;
      support += scores["support"].get<int64_t>();
      EXPECT_EQ(scores["intervals"].size(), 3U) << cls;
    }
    EXPECT_NEAR(f1, part["macro_f1"].get<double>(), 1e-12);
    EXPECT_EQ(support, part["rows"]);
    double ece = 0.0;
    for (const Json& bin : part["reliability"]) {
      rows += bin["rows"].get<int64_t>();
      ece += bin["rows"].get<double>() / part["rows"].get<double>() *
             std::abs(bin["correct"].get<double>() - bin["confidence"].get<double>());
    }
    EXPECT_EQ(rows, part["rows"]);
    EXPECT_NEAR(ece, part["ece"].get<double>(), 1e-12);
  }
  const Outcome shown = evaluate(place, {"--resamples", "50"});
  for (const char* part : {"accuracy %", "Each class of test", "precision %", "Reliability of test",
                           "coverage at 0.9 %", "set size", "50 resamples"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << "\n" << shown.out;
}

TEST(Evaluate, IntervalsAreAFunctionOfTheSeedAlone) {
  const Workplace place;
  train(place, "noisy-relations");
  const std::vector<std::string> few = {"--json", "--resamples", "40"};
  const std::string once = evaluate(place, joined(few, {"--threads", "1"})).out;
  EXPECT_EQ(once, evaluate(place, joined(few, {"--threads", "2"})).out);
  const Json other = json_of(evaluate(place, joined(few, {"--seed", "1"})));
  EXPECT_NE(Json::parse(once)["parts"]["test"]["intervals"], other["parts"]["test"]["intervals"]);
  EXPECT_EQ(Json::parse(once)["parts"]["test"]["accuracy"], other["parts"]["test"]["accuracy"]);
  const Json none = json_of(evaluate(place, {"--json", "--resamples", "0"}));
  EXPECT_FALSE(none["parts"]["test"].contains("intervals"));
  EXPECT_FALSE(none.contains("bootstrap"));
}

// The coverage that evaluate prints is what a user counts in the table of predict.
void expect_coverage_of_table(const Workplace& place, const std::string& form) {
  const std::vector<std::string> level = {"--level", "0.8", "--sets", form};
  const std::string csv = table_of(place, level);
  const auto split = column(csv, "split"), set = column(csv, "set"), label = column(csv, "label");
  const auto size = column(csv, "set_size");
  double covered = 0.0, sizes = 0.0, rows = 0.0;
  for (const auto& [node, part] : split) {
    if (part != "test") continue;
    rows += 1.0;
    sizes += number(size.at(node));
    covered += (";" + set.at(node) + ";").find(";" + label.at(node) + ";") != std::string::npos;
  }
  const Json got = json_of(evaluate(place, joined({"--json", "--resamples", "30"}, level)));
  const Json& coverage = got["parts"]["test"]["coverage"];
  EXPECT_EQ(got["sets"]["form"], form);
  EXPECT_EQ(coverage["level"], 0.8);
  EXPECT_DOUBLE_EQ(coverage["covered"].get<double>(), covered / rows);
  EXPECT_DOUBLE_EQ(coverage["set_size"].get<double>(), sizes / rows);
  EXPECT_LE(coverage["intervals"]["coverage"][0], coverage["covered"]);
  EXPECT_GE(coverage["intervals"]["coverage"][1], coverage["covered"]);
  EXPECT_EQ(table_of(place, level), csv);  // the random shares are the run's
}

TEST(PredictionSets, CoverWhatEvaluateSays) {
  const Workplace place;
  train(place, "noisy-relations", {"calibration_share=0.5"});
  expect_coverage_of_table(place, "aps");
  expect_coverage_of_table(place, "daps");
  // Rows that were set aside are a part of their own.
  const Json got = json_of(evaluate(place, {"--json", "--resamples", "0"}));
  std::vector<std::string> names;
  for (const auto& [name, part] : got["parts"].items()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"train", "validation", "calibration", "test"}));
  EXPECT_EQ(got["sets"]["calibrated_by"], "calibration");
  EXPECT_EQ(got["parts"]["validation"]["rows"], got["parts"]["calibration"]["rows"]);
  // On the calibration rows themselves ⌈(n + 1) 0.9⌉ scores are at most the quantile.
  const auto n = got["parts"]["calibration"]["rows"].get<double>();
  EXPECT_DOUBLE_EQ(got["parts"]["calibration"]["coverage"]["covered"].get<double>(),
                   std::ceil((n + 1) * 0.9) / n);
  int64_t aside = 0;
  for (const auto& [node, part] : column(read(place.path() / "run/predictions.csv"), "split"))
    aside += part == "calibration";
  EXPECT_EQ(aside, got["parts"]["calibration"]["rows"]);
}

TEST(PredictionSets, OfValuesAreIntervals) {
  const Workplace place;
  train(place, "noisy-values", {"calibrate=validation"});
  const std::string csv = table_of(place, {"--level", "0.9"});
  const auto lower = column(csv, "lower"), upper = column(csv, "upper");
  const auto target = column(csv, "target"), split = column(csv, "split"), std = column(csv, "std");
  const double unit = (number(upper.at("0")) - number(lower.at("0"))) / number(std.at("0"));
  double covered = 0.0, rows = 0.0;
  for (const auto& [node, part] : split) {
    EXPECT_NEAR(number(upper.at(node)) - number(lower.at(node)), unit * number(std.at(node)), 1e-4);
    if (part != "test") continue;
    rows += 1.0;
    const double y = number(target.at(node));
    covered += number(lower.at(node)) <= y && y <= number(upper.at(node));
  }
  const Json got = json_of(evaluate(place, {"--json", "--resamples", "20"}));
  const Json& coverage = got["parts"]["test"]["coverage"];
  // Six digits of the table may move an end across a target.
  EXPECT_NEAR(coverage["covered"].get<double>(), covered / rows, 1.5 / rows);
  EXPECT_TRUE(coverage["interval_width"].is_number());
  EXPECT_EQ(got["parts"]["test"]["reliability"].size(), 19U);
  EXPECT_FALSE(got["parts"]["test"].contains("per_target"));  // there is one
}

TEST(PredictionSets, SayWhatIsWrong) {
  const Workplace place;
  train(place, "noisy-relations");
  const std::vector<std::string> predict = {"predict", "--run", "run", "--out", "o.csv", "--quiet"};
  for (const char* level : {"0", "1", "-0.5", "many"}) {
    expect_one_line(run(place, joined(predict, {"--level", level})), 2, "--level must be above 0");
    expect_one_line(evaluate(place, {"--level", level}), 2, "--level must be above 0");
  }
  expect_one_line(run(place, joined(predict, {"--level", "0.999"})), 2,
                  "--level 0.999: needs 999 calibration rows, the model has ");
  expect_one_line(run(place, joined(predict, {"--sets", "daps"})), 2, "without --level");
  EXPECT_EQ(run(place, joined(predict, {"--sets", "none", "--level", "0.9"})).status, 2);
  EXPECT_EQ(evaluate(place, {"--resamples", "-1"}).status, 2);
  EXPECT_TRUE(read(place.path() / "o.csv").empty());
}

// H(E p) = I(answer; graph | network) + I(answer; network) + E[H(p)], of two members over graphs.
TEST(Uncertainty, HasPartsThatAddUp) {
  const Workplace place;
  train(place, "noisy-relations", {"ensemble=2", "em.recipe=published", "em.rounds=2"}, "em-gcn");
  const std::string csv = read(place.path() / "run/predictions.csv");
  const auto graph = column(csv, "graph_information"), net = column(csv, "network_information");
  const auto within = column(csv, "within_entropy"), whole = column(csv, "mean_entropy");
  double most_graph = 0.0, most_net = 0.0;
  for (const auto& [node, total] : whole) {
    const double g = number(graph.at(node)), n = number(net.at(node));
    EXPECT_GE(g, 0.0);
    EXPECT_GE(n, 0.0);
    // Six digits: the total and the largest part may be above 1, off by 5e-6 each, the others less.
    EXPECT_NEAR(g + n + number(within.at(node)), number(total), 1.1e-5);
    EXPECT_LE(number(total), std::log(3.0) + 1e-5);
    most_graph = std::max(most_graph, g);
    most_net = std::max(most_net, n);
  }
  EXPECT_GT(most_graph, 1e-4);
  EXPECT_GT(most_net, 1e-4);
}

}  // namespace
}  // namespace emgnn::cli_test
