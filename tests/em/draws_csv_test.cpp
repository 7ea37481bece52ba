// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/draws_csv.h>

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "line_space.h"

namespace emgnn {
namespace {

class OddNames : public LineSpace {
 public:
  std::vector<std::string> coordinate_names() const override { return {"a.b\nlp__,x"}; }
};

ChainDraws two_chains() {
  return {.lam_ids = {{3, 3, 7}, {1}},
          .log_density = {{-0.1, -0.1, -2.5e-10}, {-1.0}},
          .accept = {{1.0, 0.25, 1.0}, {0.5}}};
}

// What arviz.from_cmdstan does: comments by their '#', "key = integer" among them, a header, numbers.
struct Parsed {
  std::map<std::string, int64_t> numbers;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

Parsed parse(const std::string& csv) {
  Parsed out;
  std::istringstream in(csv);
  const std::regex number("^(\\S+)\\s*=\\s*([-+]?[0-9]+)$");
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (line.starts_with("#")) {
      const std::string text = line.substr(2);
      if (std::regex_match(text, match, number)) out.numbers[match[1]] = std::stoll(match[2]);
      continue;
    }
    std::istringstream fields(line);
    if (!out.columns.empty()) out.rows.emplace_back();
    const bool header = out.columns.empty();
    for (std::string field; std::getline(fields, field, ',');)
      header ? out.columns.push_back(field) : out.rows.back().push_back(std::stod(field));
  }
  return out;
}

TEST(DrawsCsv, IsReadAsThatOfCmdStan) {
  const Parsed first =
      parse(draws_csv(LineSpace(), two_chains(), 0, {.about = {"seed = 4"}, .warmup = 50}));
  EXPECT_EQ(first.columns, (std::vector<std::string>{"lp__", "accept_stat__", "lambda.1"}));
  EXPECT_EQ(first.rows, (std::vector<std::vector<double>>{
                            {-0.1, 1.0, 3.0}, {-0.1, 0.25, 3.0}, {-2.5e-10, 1.0, 7.0}}));
  EXPECT_EQ(first.numbers.at("num_samples"), 3);
  EXPECT_EQ(first.numbers.at("num_warmup"), 50);
  EXPECT_EQ(first.numbers.at("save_warmup"), 0);
  EXPECT_EQ(first.numbers.at("thin"), 1);
  EXPECT_EQ(first.numbers.at("id"), 1);
  EXPECT_EQ(first.numbers.at("seed"), 4);
  EXPECT_EQ(parse(draws_csv(LineSpace(), two_chains(), 1, {})).numbers.at("id"), 2);
}

// Columns have the names of the coordinates in comments only.
TEST(DrawsCsv, ANameOfACoordinateCannotBreakIt) {
  const std::string csv = draws_csv(OddNames(), two_chains(), 0, {});
  EXPECT_EQ(parse(csv).rows.size(), 3U);
  EXPECT_EQ(parse(csv).columns.back(), "lambda.1");
  EXPECT_NE(csv.find("# lambda.1 = a.b lp__,x\n"), std::string::npos);
}

}  // namespace
}  // namespace emgnn
