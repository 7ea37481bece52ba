// SPDX-License-Identifier: Apache-2.0
// Runs give the numbers that were recorded: tests/golden/README.md.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <emgnn/data/registry.h>
#include <emgnn/formats/checksum.h>
#include <emgnn/formats/csv.h>
#include <emgnn/run/fit.h>
#include "data/real_data.h"
#include "paths.h"
#include "run/golden.h"
#include "run/small_run.h"
#include "test_name.h"

namespace emgnn {
namespace {

using Json = nlohmann::ordered_json;

const Json& golden() {
  static const Json json = Json::parse(
      read_file(std::filesystem::path(testing::kSourceDir) / "tests/golden/results.json"));
  return json;
}

// Why the run cannot be repeated here; empty: it can.
std::string missing_for(const std::string& dataset) {
  const DatasetInfo& info = dataset_info(dataset);
  if (info.kind == "molecules" && !testing::has_chemistry()) return "needs EMGNN_RDKIT=ON";
  for (const std::string& file : info.files) {
    const std::filesystem::path path = testing::real_data_dir() / file;
    if (!std::filesystem::exists(path)) return path.string() + " is not there; set EMGNN_DATA";
  }
  return "";
}

void expect_scores(const Json& there, const Json& here) {
  for (const auto& [name, value] : there.items())
    EXPECT_EQ(here.at(name).get<double>(), value.get<double>()) << name;
}

// predictions.csv without what it says about uncertainty: the columns that all versions have.
std::string answers_in(const std::string& predictions) {
  CsvTable table(predictions, "predictions.csv");
  std::vector<size_t> kept;
  for (size_t c = 0; c < table.columns().size(); ++c) {
    const std::string& name = table.columns()[c];
    const auto is = [&](const char* part) { return name.starts_with(part); };
    if (!is("entropy") && !is("graph_") && !is("network_") && !is("within_") && !is("mean_entropy"))
      kept.push_back(c);
  }
  std::string out;
  const auto add = [&](const auto& fields) {
    for (size_t c : kept) {
      if (c != kept.front()) out += ',';
      out += csv_field(std::string(fields[c]));
    }
    out += '\n';
  };
  add(table.columns());
  while (table.next()) add(table.row().fields());
  return out;
}

class GoldenResults : public ::testing::TestWithParam<size_t> {};

TEST_P(GoldenResults, AreTheSameToTheLastBit) {
  const Json& record = golden()["records"][GetParam()];
  const auto isa = golden()["isa"].get<std::string>();
  if (!testing::same_bits_as(isa))
    GTEST_SKIP() << "recorded with " << isa << " by an optimised build; here "
                 << testing::isa_name();
  const auto dataset = record["dataset"].get<std::string>();
  if (const std::string missing = missing_for(dataset); !missing.empty()) GTEST_SKIP() << missing;
  const testing::TempDir place;
  const RunRequest request{
      .config = {.dataset = dataset,
                 .method = record["method"],
                 .layers = {{.name = "--set", .toml = "", .assignments = record["settings"]}}},
      .data_dir = testing::real_data_dir(),
      .out = place / "run"};
  RunsObserver quiet;
  const Json here = to_json(fit_runs(request, quiet));
  expect_scores(record["validation"], here["runs"][0]["validation"]);
  expect_scores(record["test"], here["runs"][0]["test"]);
  EXPECT_EQ(sha256_hex(answers_in(read_file(place / "run/predictions.csv"))),
            record["answers_sha256"]);
  if (!record.contains("posterior_sha256")) return;
  EXPECT_EQ(here["runs"][0]["em_iterations"], record["em_iterations"]);
  EXPECT_EQ(sha256_file(place / "run/posterior.csv"), record["posterior_sha256"]);
  for (size_t c = 0; c < record["mean_lambda"].size(); ++c) {
    double mean = 0.0;
    for (const Json& point : here["posterior"])
      mean += point["p"].get<double>() * point["lambda"][c].get<double>();
    EXPECT_NEAR(mean, record["mean_lambda"][c].get<double>(), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Records, GoldenResults,
                         ::testing::Range<size_t>(0, golden()["records"].size()),
                         [](const auto& info) {
                           const Json& record = golden()["records"][info.param];
                           return as_test_name(record["dataset"].get<std::string>() + "_" +
                                               record["method"].get<std::string>());
                         });

}  // namespace
}  // namespace emgnn
