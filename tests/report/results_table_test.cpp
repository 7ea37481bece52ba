// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/results_table.h>

#include <gtest/gtest.h>

#include <sstream>

namespace emgnn {
namespace {

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" in\n" << text;
}

void expect_no_part(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << "\"" << part << "\" in\n" << text;
}

RunRecord a_run(uint64_t seed, double accuracy) {
  RunRecord run{.seed = seed, .seconds = 1.256};
  run.fit.epochs = 40;
  run.test = Scores{{"accuracy", accuracy}, {"macro_f1", 0.5}, {"nll", 1.25}, {"ece", 0.125}};
  run.validation.scores = {{"accuracy", 0.125}, {"macro_f1", 0.25}, {"nll", 2.5}, {"ece", 0.5}};
  return run;
}

Results results_of(std::vector<RunRecord> runs) {
  return {.dataset = "cora",
          .method = "gcn",
          .config = {},
          .scores = {{.name = "accuracy", .percent = true},
                     {.name = "macro_f1", .percent = true},
                     {.name = "nll", .higher_is_better = false},
                     {.name = "ece", .higher_is_better = false}},
          .runs = std::move(runs)};
}

GraphDistribution two_types(double p) {
  const Marginal prior = {{0.0, 0.5}, {1.0, 0.5}};
  return {.family = "mixture",
          .names = {"good", "bad"},
          .num_shares = 2,
          .points = {{{0.0, 1.0}, 1.0 - p}, {{1.0, 0.0}, p}},
          .prior = {prior, prior}};
}

TEST(ResultsTable, OfOneRunIsItsFirstScoresInTheirUnits) {
  const std::string table = results_table(results_of({a_run(7, 0.8125)}));
  EXPECT_EQ(table,
            "gcn on cora, test scores\n\n"
            "  seed         accuracy         macro_f1              nll   epochs   seconds\n"
            "     7            81.25            50.00           1.2500       40      1.26\n");
}

TEST(ResultsTable, OfSeveralRunsEndsWithMeanAndDeviation) {
  const std::string table = results_table(results_of({a_run(0, 0.7), a_run(1, 0.9)}));
  expect_part(table, "\n  mean    80.00 ± 14.14");
  expect_part(table, "1.2500 ± 0.0000\n");
}

TEST(ResultsTable, SaysWhatTheScoresAreOf) {
  RunRecord run = a_run(0, 0.9);
  run.test.reset();
  Results results = results_of({run});
  const std::string table = results_table(results);
  expect_part(table, "gcn on cora, validation scores\n");
  expect_part(table, "12.50");
  expect_no_part(table, "90.00");
  results.scores.resize(2);  // shares alone
  expect_part(results_table(results), "validation scores in %\n");
}

TEST(ResultsTable, ShowsTheLearnedDistributionAndWhatItSays) {
  RunRecord run = a_run(0, 0.9);
  run.graphs = two_types(0.9);
  std::string table = results_table(results_of({run}));
  expect_part(table, "\nlearned distribution\nweight of good (the rest is bad)\n");
  expect_part(table, "\ngood carries more weight than bad: mean 0.90, ");
  run.graphs = two_types(0.5);
  table = results_table(results_of({run}));
  expect_part(table, "warning: the learned distribution is indistinguishable from the prior");
  run.graphs.reset();
  expect_no_part(results_table(results_of({run})), "learned distribution");
}

TEST(ResultsTable, JudgesSamplingByTheWorstOfTheLastRounds) {
  RunRecord good = a_run(0, 0.9), bad = a_run(1, 0.9);
  good.fit.rounds = {
      {.round = 1, .mcmc = McmcSummary{.rhat = 9.0, .ess = 1.0}},
      {.round = 2, .mcmc = McmcSummary{.rhat = 1.001, .ess = 900.0, .ess_tail = 900.0}}};
  const std::string fine = results_table(results_of({good}));
  expect_part(fine, "\nsampled: ");
  bad.fit.rounds = {{.round = 1, .mcmc = McmcSummary{.rhat = 1.5, .ess = 30.0}}};
  const std::string both = results_table(results_of({good, bad}));
  expect_part(both, "sampled (worst of 2 runs): ");
  expect_part(both, "1.5");
  EXPECT_NE(fine.substr(fine.find("sampled")), both.substr(both.find("sampled")));
}

TEST(ResultsTable, JudgesSamplingByTheLastRoundOfEveryMemberOfAnEnsemble) {
  RunRecord run = a_run(0, 0.9);
  const auto round = [](int64_t number, double rhat, int64_t member) {
    return RoundRecord{
        .round = number, .mcmc = McmcSummary{.rhat = rhat, .ess = 900.0}, .member = member};
  };
  run.fit.rounds = {round(1, 9.0, 0), round(2, 1.5, 0), round(1, 8.0, 1), round(2, 1.001, 1)};
  const std::string table = results_table(results_of({run}));
  expect_part(table, "sampled (worst of 2 members): R-hat 1.5");
}

TEST(ResultsTable, LinesOfScoresAreInStep) {
  std::istringstream lines(results_table(results_of({a_run(0, 0.7), a_run(1, 1.0)})));
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) rows.push_back(line);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].size(), rows[1].size());
  EXPECT_EQ(rows[1].size(), rows[2].size());
}

TEST(EvaluationTable, HasAColumnPerPartAndARowPerScore) {
  const Evaluation evaluation{
      .dataset = "d",
      .method = "m",
      .info = {{.name = "accuracy", .percent = true}, {.name = "nll", .higher_is_better = false}},
      .parts = {{"train", 140, {0.5, {{"accuracy", 1.0}, {"nll", 0.125}}}},
                {"test", 1000, {0.5, {{"accuracy", 0.75}, {"nll", 0.5}}}}},
      .notes = {}};
  EXPECT_EQ(evaluation_table(evaluation),
            "m on d\n\n"
            "             train    test\n"
            "rows           140    1000\n"
            "accuracy %  100.00   75.00\n"
            "nll         0.1250  0.5000\n");
}

TEST(ConfigHelp, ShowsEveryKeyWithItsValueAndWhereItComesFrom) {
  const std::string help = config_help({{.key = "split",
                                         .help = "which nodes train",
                                         .accepted = "text",
                                         .value = "",
                                         .layer = "default"},
                                        {.key = "em.rounds",
                                         .help = "EM rounds T",
                                         .accepted = "integer",
                                         .value = "15",
                                         .layer = "--set"},
                                        {.key = "em.eta",
                                         .help = "temperature",
                                         .accepted = "number",
                                         .value = "4",
                                         .layer = "default"}});
  expect_part(help, "\n\n  split = \"\"  (default)\n      which nodes train\n      text\n");
  expect_part(help,
              "\n\n  em.rounds = 15  (--set)\n      EM rounds T\n      integer\n  em.eta = 4");
}

TEST(ScoreText, ShowsSharesInPercent) {
  EXPECT_EQ(score_text({.name = "accuracy", .percent = true}, 0.81234), "81.23");
  EXPECT_EQ(score_text({.name = "rmse", .higher_is_better = false}, 0.81234), "0.8123");
}

TEST(ResultsTable, NamesLearnedSharesAndTheRankOfGraphs) {
  RunRecord a = a_run(0, 0.7), b = a_run(1, 0.9);
  expect_no_part(results_table(results_of({a})), "shares");
  expect_no_part(results_table(results_of({a})), "rank correlation");
  a.fit.shares = {{"given", 0.25}, {"none", 0.75}};
  b.fit.shares = {{"given", 0.75}, {"none", 0.25}};
  a.graph_rank = GraphRank{.graphs = 66, .correlation = 0.5};
  b.graph_rank = GraphRank{.graphs = 66, .correlation = {}};
  const std::string table = results_table(results_of({a, b}));
  expect_part(table, "learned shares: given 0.500, none 0.500\n");
  expect_part(table, "rank correlation 0.50 over 66 graphs\n");
}

}  // namespace
}  // namespace emgnn
