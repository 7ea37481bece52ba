// SPDX-License-Identifier: Apache-2.0
// The contract of emgnn reproduce.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "data/real_data.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(Reproduce, EveryBadCallIsOneLineAndStatusTwo) {
  const Workplace place;
  const auto expect = [&](std::vector<std::string> more, const std::string& part) {
    more.insert(more.begin(), "reproduce");
    expect_one_line(run(place, more), 2, part);
  };
  expect({}, "table is required");
  expect({"run-time"}, "did you mean runtime");
  expect({"hetero"}, "known: calibration, distributions, heterogeneous");
  expect({"heterogeneous", "--columns", "imbd"}, "did you mean imdb");
  expect({"heterogeneous", "--rows", "gnc"}, "unknown row \"gnc\"; did you mean");
  expect({"heterogeneous", "--runs", "0"}, "--runs must be 1 to");
  expect({"heterogeneous", "--redraw"}, "no column of heterogeneous has a split to draw anew");
  expect({"value", "--columns", "texas", "--redraw"}, "no column of value has a split");
  expect({"value", "--rows", "MD", "--columns", "acm"}, "none of these rows of value");
}

TEST(Reproduce, MissingDataIsSeenBeforeTraining) {
  const Workplace place;
  expect_one_line(run(place, {"reproduce", "heterogeneous", "--quiet", "--data-dir", "."}), 3,
                  "imdb");
}

TEST(Reproduce, TrainsACellAndReadsItBack) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const std::vector<std::string> call = {"reproduce",
                                         "heterogeneous",
                                         "--rows",
                                         "gcn",
                                         "--columns",
                                         "acm",
                                         "--runs",
                                         "1",
                                         "--json",
                                         "--data-dir",
                                         emgnn::testing::real_data_dir().string(),
                                         "--out",
                                         "table"};
  const Outcome first = run(place, call);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.err.find("cell 1 of 1: gcn on acm"), std::string::npos);
  const Json json = Json::parse(first.out);
  EXPECT_EQ(json["table"], "heterogeneous");
  EXPECT_EQ(json["runs"], 1);
  EXPECT_EQ(json["seed"], 0);
  ASSERT_EQ(json["cells"].size(), 2U);
  EXPECT_EQ(json["cells"][0]["metric"], "micro_f1");
  EXPECT_EQ(json["cells"][0]["paper_mean"], 0.9192);
  EXPECT_GT(json["cells"][0]["mean"].get<double>(), 0.8);
  EXPECT_EQ(json["cells"][0]["std"], 0.0);
  EXPECT_GT(json["cells"][0]["seconds"].get<double>(), 0.0);
  EXPECT_TRUE(json["cells"][0]["place"].is_null());  // no other row
  EXPECT_TRUE(std::filesystem::exists(place.path() / "table/gcn/acm/results.json"));
  EXPECT_EQ(run(place, call).out, first.out);
}

}  // namespace
}  // namespace emgnn::cli_test
