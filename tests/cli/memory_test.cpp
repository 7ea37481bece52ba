// SPDX-License-Identifier: Apache-2.0
// What is too large for --memory ends with a line, not by a signal.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;

// A control group in that of the process, of either version, with all programs that are run meanwhile.
class ControlGroup {
 public:
  explicit ControlGroup(int64_t bytes) {
    std::ifstream list("/proc/self/cgroup");
    for (std::string line; std::getline(list, line) && folder_.empty();) {
      const size_t second = line.find(':', line.find(':') + 1);
      const bool first_version = line.find(":memory:") != std::string::npos;
      if (first_version || line.starts_with("0::"))
        enter("/sys/fs/cgroup" +
                  (first_version ? "/memory" + line.substr(second + 1) : line.substr(second + 1)),
              first_version ? "memory.limit_in_bytes" : "memory.max", bytes);
    }
  }
  ~ControlGroup() {
    if (folder_.empty()) return;
    put(folder_.parent_path() / "cgroup.procs", getpid());
    rmdir(folder_.c_str());
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  bool limits() const { return !folder_.empty(); }

 private:
  static bool put(const fs::path& file, int64_t value) {
    std::ofstream out(file);
    return bool(out << value << std::flush);
  }

  void enter(const fs::path& around, const char* limit, int64_t bytes) {
    const fs::path inner = around / ("emgnn-test-" + std::to_string(getpid()));
    std::error_code ignored;
    if (!fs::create_directory(inner, ignored)) return;
    if (fs::exists(inner / limit) && put(inner / limit, bytes) &&
        put(inner / "cgroup.procs", getpid())) {
      folder_ = inner;
    } else {
      rmdir(inner.c_str());
    }
  }

  fs::path folder_;  // empty: the process may not make one
};

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

// Where the system would kill it.
TEST(MemoryLimit, AControlGroupIsOne) {
  const Workplace place;
  const ControlGroup group(int64_t{1} << 30);
  if (!group.limits())
    GTEST_SKIP() << "skipped: this process may make no control group with a limit";
  const std::vector<std::string> large =
      train({"--method", "gcn", "--set", "model.hidden=65536", "--threads", "2"});
  for (const auto& more : {std::vector<std::string>{}, {"--memory", "600M"}, {"--memory", "64G"}})
    expect_one_line(run(place, joined(large, more)), 1, "out of memory: this needs more than");
}

TEST(MemoryLimit, IsNeverMoreThanThereIs) {
  const Workplace place;
  rlimit before{};
  getrlimit(RLIMIT_DATA, &before);
  rlimit small = before;
  small.rlim_cur = rlim_t{1} << 30;
  setrlimit(RLIMIT_DATA, &small);
  const Outcome outcome =
      run(place, train({"--method", "gcn", "--set", "model.hidden=65536", "--memory", "64G"}));
  setrlimit(RLIMIT_DATA, &before);
  expect_one_line(outcome, 1, "more than 1.0 GB");
}

}  // namespace
}  // namespace emgnn::cli_test
