// SPDX-License-Identifier: Apache-2.0
// Models that earlier programs stored predict what those programs printed: tests/golden/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <emgnn/formats/csv.h>
#include <emgnn/run/model_file.h>
#include <emgnn/run/predict.h>
#include "paths.h"
#include "run/golden.h"
#include "run/small_run.h"
#include "test_name.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::Workplace;

const std::filesystem::path kGolden = std::filesystem::path(testing::kSourceDir) / "tests/golden";

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  explicit Table(const std::string& csv) {
    CsvTable table(csv, "predictions");
    columns = table.columns();
    while (table.next()) {
      auto& row = rows.emplace_back();
      for (std::string_view field : table.row().fields()) row.emplace_back(field);
    }
  }
};

// What is now called graph_std was called spread, and so was another measure for classes and labels
// that is no more.
std::string name_today(const std::string& column) {
  return column == "spread" ? "graph_std" : column;
}

// Spreads are sums of squares, and their last digits come and go with the way of summing. On other
// instruction sets a float32 network differs by rounding.
void expect_same(const std::string& column, const std::string& there, const std::string& here) {
  const auto a = number_in(there), b = number_in(here);
  if (!a || !b || column == "node" || column == "row") {
    EXPECT_EQ(there, here) << column;
  } else if (column.starts_with("spread")) {
    EXPECT_NEAR(*a, *b, 1e-6 + 1e-3 * std::abs(*a)) << column;
  } else if (testing::same_bits_as("avx512")) {
    EXPECT_EQ(there, here) << column;
  } else {
    EXPECT_NEAR(*a, *b, 1e-4 * (1.0 + std::abs(*a))) << column;
  }
}

class GoldenRun : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(GoldenRun, PredictsWhatTheProgramThatTrainedItPrinted) {
  const auto [format, name] = GetParam();
  if (name.starts_with("toy-molecules") && !testing::has_chemistry())
    GTEST_SKIP() << "needs EMGNN_RDKIT=ON";
  const Workplace place;
  const std::filesystem::path run = kGolden / format / name;
  PredictRequest request{.run = run};
  if (name.starts_with("own-graph")) request.dataset = (kGolden / "own-graph").string();
  const Table there(read_file(run / "predictions.csv")), here(predict(request).csv);
  ASSERT_EQ(there.rows.size(), here.rows.size());
  size_t compared = 0;
  for (size_t c = 0; c < there.columns.size(); ++c) {
    const auto found =
        std::find(here.columns.begin(), here.columns.end(), name_today(there.columns[c]));
    // Other data than the run's own has no split, and of new molecules nothing is known.
    if (found == here.columns.end() || there.columns[c] == "split") continue;
    const auto at = static_cast<size_t>(found - here.columns.begin());
    for (size_t r = 0; r < there.rows.size(); ++r, ++compared)
      expect_same(there.columns[c], there.rows[r][c], here.rows[r][at]);
  }
  EXPECT_GE(compared, 4 * there.rows.size());
}

INSTANTIATE_TEST_SUITE_P(Formats, GoldenRun,
                         ::testing::Combine(::testing::Values("format-1", "format-2"),
                                            ::testing::Values("noisy-relations.em-gcn",
                                                              "toy-molecules.em-gcn-star",
                                                              "own-graph.em-acm")),
                         [](const auto& info) {
                           return as_test_name(std::get<0>(info.param) + "_" +
                                               std::get<1>(info.param));
                         });

TEST(GoldenModel, OfTheFirstFormatIsReadAsIfItWereTodays) {
  const ModelFile first = read_model(kGolden / "format-1/noisy-relations.em-gcn");
  const ModelFile second = read_model(kGolden / "format-2/noisy-relations.em-gcn");
  EXPECT_EQ(first.dataset, second.dataset);
  EXPECT_EQ(first.method, second.method);
  EXPECT_EQ(first.seed, second.seed);
  EXPECT_EQ(first.schema.labels, second.schema.labels);
  EXPECT_EQ(first.schema.label_names, second.schema.label_names);
  EXPECT_EQ(first.schema.edge_types, second.schema.edge_types);
  EXPECT_EQ(first.schema.node_types, second.schema.node_types);
  EXPECT_EQ(first.schema.num_features, second.schema.num_features);
  // The same training: the same weights.
  for (const auto& [name, tensor] : second.archive.tensors) {
    if (!name.starts_with("weight/")) continue;
    EXPECT_EQ(first.archive.tensors.at(name), tensor) << name;
  }
}

}  // namespace
}  // namespace emgnn
