// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/search_space.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr const char* kSpace = R"(
[model]
hidden = [16, 64]
layers = { from = 2, to = 5 }
dropout = { from = 0.0, to = 0.8, steps = 3 }
[optim]
learning_rate = { from = 0.001, to = 0.1, log = true }
)";

TEST(SearchSpace, DrawsEveryKeyFromItsListOrRange) {
  const SearchSpace space(kSpace, "s.toml");
  std::map<std::string, std::map<std::string, int>> seen;
  constexpr int kDraws = 4000;
  int below = 0;
  for (int k = 0; k < kDraws; ++k) {
    const SearchPoint point = space.draw(7, static_cast<uint64_t>(k));
    ASSERT_EQ(point.size(), 4U);
    for (size_t i = 0; i < 4; ++i) ++seen[space.keys()[i].key][point[i]];
    for (size_t i = 0; i < 4; ++i) {
      if (space.keys()[i].key != "optim.learning_rate") continue;
      const double rate = std::stod(point[i]);
      EXPECT_GE(rate, 0.001);
      EXPECT_LE(rate, 0.1);
      below += rate < 0.01 ? 1 : 0;
    }
  }
  // Within five standard deviations of a binomial.
  const auto near = [](int count, double p) {
    return std::abs(count - kDraws * p) < 5.0 * std::sqrt(kDraws * p * (1.0 - p));
  };
  EXPECT_TRUE(near(seen["model.hidden"]["16"], 0.5));
  EXPECT_EQ(seen["model.layers"].size(), 4U);
  for (const auto& [value, count] : seen["model.layers"]) EXPECT_TRUE(near(count, 0.25)) << value;
  EXPECT_TRUE(near(below, 0.5)) << "the middle of a logarithmic range";
  EXPECT_EQ(space.draw(7, 3), space.draw(7, 3));
  EXPECT_NE(space.draw(7, 3), space.draw(8, 3));
}

TEST(SearchSpace, GridHasEveryCombination) {
  const SearchSpace space(
      "\"model.hidden\" = [16, 64]\n[optim]\n"
      "rate = { from = 0.01, to = 1.0, log = true, steps = 3 }\n",
      "s.toml");
  const std::vector<SearchPoint> grid = space.grid(100);
  EXPECT_EQ(
      grid,
      (std::vector<SearchPoint>{
          {"16", "0.01"}, {"16", "0.1"}, {"16", "1"}, {"64", "0.01"}, {"64", "0.1"}, {"64", "1"}}));
  EXPECT_EQ(space.assignments(grid[4]),
            (std::vector<std::string>{"model.hidden=64", "optim.rate=0.1"}));
  EXPECT_THROW(space.grid(5), UsageError);
}

// Without making the values first.
TEST(SearchSpace, GridsAreRefusedByTheirCount) {
  for (const char* text : {"x = { from = 0.0, to = 1.0, steps = 1000000000000 }\n",
                           "y = [1, 2]\nx = { from = 0.0, to = 1.0, steps = 51 }\n"})
    EXPECT_THROW(SearchSpace(text, "s.toml").grid(100), UsageError) << text;
  // Whole numbers come once each.
  EXPECT_EQ(SearchSpace("x = { from = 1, to = 3, steps = 100 }\n", "s.toml").grid(100).size(), 3U);
}

TEST(SearchSpace, RefusesWhatIsNeitherListNorRange) {
  const auto error = [](const char* text) -> std::string {
    try {
      SearchSpace(text, "s.toml").grid(100);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error("[model]\nhidden = 16\n"),
            "s.toml:2: model.hidden: expected a list or a range { from = A, to = B }; what is not "
            "searched belongs to --set");
  EXPECT_EQ(error("x = { from = 2, to = 1 }\n"), "s.toml:1: a range goes from less to more");
  EXPECT_EQ(error("x = { from = 0, to = 1, log = true }\n"),
            "s.toml:1: a logarithmic range begins above 0");
  EXPECT_EQ(error("x = { from = 0, to = 1, step = 2 }\n"),
            "s.toml:1: a range has from, to, log and steps, not step");
  EXPECT_EQ(error("x = { from = 0, to = 1 }\n"),
            "s.toml:1: x: a range of a grid says how many steps");
  EXPECT_EQ(error("x = []\n"), "s.toml:1: x: the list is empty");
  EXPECT_EQ(error(""), "s.toml: nothing to search");
  EXPECT_EQ(error("x = [1\n").substr(0, 7), "s.toml:");
}

}  // namespace
}  // namespace emgnn
