// SPDX-License-Identifier: Apache-2.0
// gtn on a user's own graph with five edge types between three types of nodes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kBooks = 60, kPeople = 20, kShops = 10;

std::string book(int i) { return "book " + std::to_string(i); }
std::string person(int i) { return "person " + std::to_string(i % kPeople); }
std::string shop(int i) { return "shop " + std::to_string(i % kShops); }

// Books (labelled) and people of one class are joined by wrote, the rest follows no class.
void write_graph(const Workplace& place, const std::string& folder, bool reversed = false) {
  std::string nodes = "id,type,label,split,a,b\n";
  const char* parts[] = {"train", "validation", "test"};
  for (int i = 0; i < kBooks; ++i) {
    nodes += book(i) + ",book,class " + std::to_string(i % 2) + "," + parts[i / 2 % 3] + "," +
             std::to_string(i * 7 % 5) + "," + std::to_string(i * 3 % 4) + "\n";
  }
  std::string others;
  for (int i = 0; i < kPeople; ++i)
    others += person(i) + ",person,,," + std::to_string(i % 2) + ",1\n";
  for (int i = 0; i < kShops; ++i) others += shop(i) + ",shop,,,0," + std::to_string(i % 3) + "\n";
  std::vector<std::string> edges;
  for (int i = 0; i < kBooks; ++i) {
    edges.push_back(person(2 * (i / 2) + i % 2) + "," + book(i) + ",wrote\n");
    edges.push_back(person(i * 3) + "," + book(i) + ",read\n");
    edges.push_back(shop(i) + "," + book(i) + ",sold\n");
    edges.push_back(book(i) + "," + book((i + 7) % kBooks) + ",cites\n");
    edges.push_back(shop(i) + "," + person(i * 11) + ",hired\n");
  }
  if (reversed) std::reverse(edges.begin(), edges.end());
  std::string table = "source,target,type\n";
  for (const std::string& edge : edges) table += edge;
  std::filesystem::create_directory(place.path() / folder);
  const std::string header = nodes.substr(0, nodes.find('\n') + 1);
  write(place, folder + "/nodes.csv",
        reversed ? header + others + nodes.substr(header.size()) : nodes + others);
  write(place, folder + "/edges.csv", table);
}

std::vector<std::string> train(const std::string& epochs) {
  return {"train",
          "--dataset",
          "graph",
          "--method",
          "gtn",
          "--set",
          "fit.epochs=" + epochs,
          "--set",
          "model.hidden=8",
          "--set",
          "stop.rule=never",
          "--json",
          "--quiet",
          "--out",
          "run"};
}

std::string timeless(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  static const std::regex times("\"(seconds|prepare_seconds|peak_rss_mb)\":[-+.0-9e]+");
  return std::regex_replace(outcome.out, times, "");
}

TEST(Gtn, TrainsOnFiveEdgeTypesAndPredictsAnotherGraphOfThem) {
  const Workplace place;
  write_graph(place, "graph");
  const Outcome trained = run(place, train("40"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Json shares = Json::parse(trained.out)["runs"][0]["shares"];
  // Four types join two types of nodes, in two directions; citations books to books.
  ASSERT_EQ(shares.size(), 4U * 2U + 1U + 1U) << shares;
  for (const char* name :
       {"wrote:book-person", "wrote:person-book", "hired:shop-person", "cites", "none"})
    EXPECT_TRUE(shares.contains(name)) << shares;
  write_graph(place, "other", true);
  const Outcome outcome =
      run(place, {"predict", "--run", "run", "--dataset", "other", "--out", "other.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto want = column(read(place.path() / "run/predictions.csv"), "p(class 0)");
  const auto got = column(read(place.path() / "other.csv"), "p(class 0)");
  ASSERT_EQ(got.size(), static_cast<size_t>(kBooks));
  for (const auto& [id, p] : got) EXPECT_NEAR(std::stod(p), std::stod(want.at(id)), 1e-4) << id;
}

TEST(Gtn, ResumesAfterCtrlCWithTheSameResults) {
  const Workplace place, other;
  write_graph(place, "graph");
  write_graph(other, "graph");
  const std::vector<std::string> call = train("600");
  Program program(place, call);
  while (program.running() && read(place.path() / "run/metrics.jsonl").size() < 3000) usleep(2000);
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, 4);
  EXPECT_EQ(timeless(run(place, call)), timeless(run(other, call)));
}

TEST(Gtn, ReadsNoSettingsOfGraphs) {
  const Workplace place;
  write_graph(place, "graph");
  std::vector<std::string> call = train("5");
  call.insert(call.end(), {"--set", "space.normalisation=row"});
  expect_one_line(run(place, call), 2, "unknown key \"space.normalisation\" for gtn");
}

}  // namespace
}  // namespace emgnn::cli_test
