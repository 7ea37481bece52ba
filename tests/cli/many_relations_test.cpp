// SPDX-License-Identifier: Apache-2.0
// Graphs of so many relations that their mixtures are sampled from a fit of the loss.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::json;

constexpr int kNodes = 90;

// Three classes; the first relation stays within them, the others do as chance has it.
void write_graph(const Workplace& place, int relations) {
  std::string nodes = "id,label,split,a,b,c\n", edges = "source,target,type\n";
  const char* parts[] = {"train", "validation", "test"};
  for (int i = 0; i < kNodes; ++i) {
    nodes += std::to_string(i) + ",class " + std::to_string(i % 3) + "," + parts[i / 3 % 3];
    for (int k = 0; k < 3; ++k) {
      const int noise = (i * 37 + k * 11 + i * i * (k + 3)) % 13;
      nodes += "," + std::to_string(noise + (i % 3 == k ? 6 : 0));
    }
    nodes += "\n";
  }
  const auto join = [&](int type, int step) {
    for (int i = 0; i < kNodes; ++i)
      edges += std::to_string(i) + "," + std::to_string((i + step) % kNodes) + ",type" +
               std::to_string(type) + "\n";
  };
  for (const int step : {3, 9, 21}) join(0, step);
  for (int type = 1; type < relations; ++type) join(type, 2 + 3 * type);
  std::filesystem::create_directory(place.path() / "graph");
  write(place, "graph/nodes.csv", nodes);
  write(place, "graph/edges.csv", edges);
}

// One E-step after a warm-up that is the same whoever samples.
Json sampled(const Workplace& place, const std::string& posterior) {
  std::vector<std::string> call = {"train",    "--dataset", "graph",  "--method", "em-gcn",
                                   "--preset", "none",      "--json", "--quiet"};
  for (const std::string& setting :
       std::vector<std::string>{"em.posterior=" + posterior, "em.recipe=published", "em.eta=100",
                                "em.warmup=20", "em.rounds=1", "em.steps=2", "model.hidden=16"})
    call = joined(call, {"--set", setting});
  const Outcome outcome = run(place, call);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out);
}

// Σ p (λ_k − mean)²
double variance(const Json& posterior, size_t k, double mean) {
  double sum = 0.0;
  for (const Json& point : posterior)
    sum += point["p"].get<double>() * std::pow(point["lambda"][k].get<double>() - mean, 2);
  return sum;
}

class ManyRelationsTest : public testing::TestWithParam<int> {};

// Of 53,130 and 888,030 mixtures.
TEST_P(ManyRelationsTest, AThousandLossesSayWhatThousandsDo) {
  constexpr int kJudged = 1024, kSupport = kJudged / 4;
  const auto relations = static_cast<size_t>(GetParam());
  const Workplace place;
  write_graph(place, GetParam());
  const Json fitted = sampled(place, "auto"), chains = sampled(place, "mcmc");
  const Json &a = fitted["runs"][0]["rounds"][0], &b = chains["runs"][0]["rounds"][0];
  ASSERT_TRUE(a.contains("mcmc") && b.contains("mcmc")) << a << b;
  const Json& mcmc = a["mcmc"];
  EXPECT_LE(mcmc["evaluated"], kJudged);
  EXPECT_GT(mcmc["evaluated"], kJudged / 2);
  EXPECT_LE(fitted["posterior"].size(), kSupport);
  EXPECT_GT(b["mcmc"]["evaluated"], 10 * kJudged);  // or there would be nothing to save

  // The verdict, and the three things that it is made of.
  EXPECT_EQ(mcmc["converged"], true) << mcmc;
  EXPECT_LT(mcmc["rhat"], 1.01);
  EXPECT_GT(mcmc["ess"], 400.0);
  EXPECT_GT(mcmc["corrected"], 0.5);
  EXPECT_LE(mcmc["corrected"], 1.0);
  EXPECT_GT(mcmc["fit_error"], 0.0);
  EXPECT_FALSE(b["mcmc"].contains("fit_error"));

  // Means over so many effective draws each, at 4.5 standard errors of their difference: of the 14
  // comparisons one would fail once in 10,000 seeds.
  ASSERT_EQ(a["mean_lambda"].size(), relations);
  for (size_t k = 0; k < relations; ++k) {
    const double got = a["mean_lambda"][k], want = b["mean_lambda"][k];
    const double spread = variance(fitted["posterior"], k, got);
    const double draws = kSupport * mcmc["corrected"].get<double>();
    const double error = std::sqrt(spread * (1.0 / draws + 1.0 / b["mcmc"]["ess"].get<double>()));
    EXPECT_NEAR(got, want, 4.5 * error) << k;
    if (k > 0) continue;
    EXPECT_GT(got, 1.0 / static_cast<double>(relations) + 4.5 * error);  // what the prior says
    EXPECT_LT(error, 0.01);
  }
  EXPECT_EQ(fitted["importance"].size(), relations);
}

INSTANTIATE_TEST_SUITE_P(Relations, ManyRelationsTest, testing::Values(6, 8),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace emgnn::cli_test
