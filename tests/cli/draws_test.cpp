// SPDX-License-Identifier: Apache-2.0
// What a run leaves of a distribution over graphs that was sampled.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

Words training(const Words& settings, const Words& more = {}) {
  Words call = {"train", "--dataset", "noisy-relations", "--method", "em-gcn", "--out", "run"};
  for (const char* setting : {"em.rounds=2", "em.steps=3", "model.hidden=8"})
    call = joined(call, {"--set", setting});
  for (const std::string& setting : settings) call = joined(call, {"--set", setting});
  return joined(call, more);
}

// The lines that are no comments.
std::string table_of(const std::string& csv) {
  std::istringstream in(csv);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("#")) out += line + "\n";
  return out;
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Draws, AreKeptChainByChainAndAgreeWithTheResults) {
  const Workplace place;
  const Outcome outcome =
      run(place,
          training({"em.posterior=mcmc", "mcmc.steps=4000", "mcmc.burn_in=100", "mcmc.chains=4"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(read(place.path() / "run/results.json"));
  const Json& sampled = json["runs"][0]["sampled"];
  std::map<std::string, double> seen;  // how often each point was drawn, by its first coordinate
  double sum = 0.0, count = 0.0;
  for (int chain = 1; chain <= 4; ++chain) {
    const std::string csv = read(place.path() / ("run/draws-" + std::to_string(chain) + ".csv"));
    EXPECT_NE(csv.find("# num_samples = 900\n"), std::string::npos);
    const auto table = rows(table_of(csv));
    ASSERT_EQ(table.size(), 901U);
    EXPECT_EQ(table[0], (Words{"lp__", "accept_stat__", "lambda.1", "lambda.2"}));
    for (size_t r = 1; r < table.size(); ++r) {
      EXPECT_LE(std::stod(table[r][0]), 0.0);
      EXPECT_GE(std::stod(table[r][1]), 0.0);
      EXPECT_LE(std::stod(table[r][1]), 1.0);
      sum += std::stod(table[r][2]);
      count += 1.0;
      ++seen[table[r][2]];
    }
  }
  EXPECT_FALSE(std::filesystem::exists(place.path() / "run/draws-5.csv"));
  ASSERT_EQ(sampled["coordinates"].size(), 2U);
  EXPECT_NEAR(sampled["coordinates"][0]["mean"].get<double>(), sum / count, 1e-12);
  EXPECT_GT(sampled["coordinates"][0]["mcse"].get<double>(), 0.0);
  for (const Json& point : json["posterior"]) {
    double p = 0.0;
    for (const auto& [value, times] : seen)
      if (std::abs(std::stod(value) - point["lambda"][0].get<double>()) < 1e-12) p += times / count;
    EXPECT_NEAR(point["p"].get<double>(), p, 1e-12);
  }
}

TEST(Draws, TooFewAreToldOnce) {
  const Workplace place;
  const Outcome outcome =
      run(place, training({"em.posterior=mcmc", "mcmc.steps=200", "mcmc.burn_in=5"},
                          {"--runs", "3", "--json"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(
      occurrences(outcome.err, "the sampled distribution over graphs has not converged: R-hat "),
      1U)
      << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json["warnings"].size(), 1U);
  EXPECT_EQ(json["runs"][0]["sampled"]["converged"], false);
  EXPECT_NE(outcome.err.find(json["warnings"][0].get<std::string>()), std::string::npos);
}

TEST(Draws, NothingIsSaidOfADistributionThatIsSummedExactly) {
  const Workplace place;
  const Outcome outcome = run(place, training({}, {"--json"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("converged"), std::string::npos) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_FALSE(json.contains("warnings"));
  EXPECT_FALSE(json["runs"][0].contains("sampled"));
  EXPECT_FALSE(std::filesystem::exists(place.path() / "run/draws-1.csv"));
}

}  // namespace
}  // namespace emgnn::cli_test
