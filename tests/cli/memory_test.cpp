// SPDX-License-Identifier: Apache-2.0
// What is too large for --memory ends with a line, not by a signal.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

std::vector<std::string> train(const std::vector<std::string>& more) {
  return joined({"train", "--dataset", "noisy-relations", "--quiet"}, more);
}

TEST(MemoryLimit, WhatIsTooLargeIsOneLine) {
  const Workplace place;
  for (const char* amount : {"512M", "1G"})
    expect_one_line(
        run(place, train({"--method", "gcn", "--set", "model.hidden=65536", "--memory", amount})),
        1, "out of memory: this needs more than");
  expect_one_line(
      run(place, train({"--method", "em-gcn", "--set", "model.hidden=65536", "--memory", "2G"})), 1,
      "2.0 GB");
}

TEST(MemoryLimit, WhatFitsRunsAsWithoutALimit) {
  const Workplace place;
  const std::vector<std::string> call =
      train({"--method", "gcn", "--set", "fit.epochs=3", "--json"});
  const Outcome free = run(place, call), limited = run(place, joined(call, {"--memory", "1G"}));
  EXPECT_EQ(limited.status, 0) << limited.err;
  EXPECT_EQ(nlohmann::json::parse(free.out)["mean"], nlohmann::json::parse(limited.out)["mean"]);
}

// The model is small, the other graph is not.
TEST(MemoryLimit, DataTooLargeToPredictOrScoreIsOneLine) {
  const Workplace place;
  const auto graph = [](const std::string& nodes) {
    return "power-law:nodes=" + nodes + ",edges=" + nodes + ",features=5,relations=1";
  };
  const auto over = [&](const std::vector<std::string>& command, const std::string& nodes) {
    return run(place, joined(command, {"--run", "run", "--quiet", "--memory", "512M", "--dataset",
                                       graph(nodes)}));
  };
  const std::vector<std::string> predict = {"predict", "--out", "p.csv"},
                                 evaluate = {"evaluate", "--resamples", "0"};
  const Outcome trained =
      run(place, {"train", "--dataset", graph("300"), "--method", "gcn", "--preset", "none",
                  "--set", "fit.epochs=1", "--set", "model.hidden=4", "--out", "run", "--quiet"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  for (const auto& command : {predict, evaluate})
    expect_one_line(over(command, "1000000"), 1, "out of memory: this needs more than 512 MB");
  EXPECT_EQ(read(place.path() / "p.csv"), "");
  for (const auto& command : {predict, evaluate}) {
    const Outcome small = over(command, "400");
    EXPECT_EQ(small.status, 0) << small.err;
  }
}

TEST(MemoryLimit, AWrongAmountIsABadCall) {
  const Workplace place;
  // Less than the libraries take would never end.
  for (const char* amount : {"much", "-1G", "", "1", "10M", "150M", "511M"})
    expect_one_line(run(place, train({"--method", "gcn", "--memory", amount})), 2, "--memory");
}

// OpenBLAS would wait for its memory for ever.
TEST(MemoryLimit, ThatIsInheritedAndTooSmallIsOneLine) {
  const Workplace place;
  rlimit before{};
  getrlimit(RLIMIT_DATA, &before);
  for (rlim_t megabytes : {60, 150, 400}) {
    rlimit small = before;
    small.rlim_cur = megabytes << 20;
    setrlimit(RLIMIT_DATA, &small);
    const Outcome outcome = run(place, train({"--method", "gcn"}));
    const Outcome without_library = run(place, {"methods"});
    setrlimit(RLIMIT_DATA, &before);
    expect_one_line(outcome, 1, "ulimit -d");
    EXPECT_EQ(without_library.status, 0) << without_library.err;
  }
}

}  // namespace
}  // namespace emgnn::cli_test
