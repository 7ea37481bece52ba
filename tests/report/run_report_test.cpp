// SPDX-License-Identifier: Apache-2.0
// Reports of folders that are written here, file by file.
#include <emgnn/report/run_report.h>

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/methods/counterpart.h>
#include <emgnn/report/html.h>
#include <emgnn/run/results.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempDir;

constexpr const char* kEvil = "<script>alert(1)</script>";

// A run of two classes over a mixture of two views; the first node has a name that is markup.
struct SmallRun {
  uint64_t seed = 0;
  double accuracy = 0.75;
  std::string method = "em-gcn";
  bool finished = true;
  bool distribution = true;
  std::vector<ViewShare> shares = {};

  void write(const fs::path& folder) const {
    fs::create_directories(folder);
    write_atomically(folder / "config.toml", "split = \"\"\n[em]\nrounds = 2\n");
    write_atomically(folder / "manifest.json", manifest());
    write_atomically(folder / "metrics.jsonl", metrics());
    if (!finished) return;
    write_atomically(folder / "results.json", results());
    write_atomically(folder / "predictions.csv", predictions());
    write_atomically(folder / "edges.csv", edges());
  }

  std::string manifest() const {
    const nlohmann::json out = {{"dataset", "mine & yours"},
                                {"method", method},
                                {"seed", seed},
                                {"runs", "one"},
                                {"data", {{"task", "classes"}, {"sha256", "abc123"}}},
                                {"program",
                                 {{"emgnn", "1.2.3"},
                                  {"commit", "c0ffee"},
                                  {"compiler", "GCC 12"},
                                  {"device", "cpu"},
                                  {"threads", 7}}}};
    return out.dump();
  }
  static std::string metrics() {
    return R"({"event":"epoch","epoch":1,"round":0,"train_loss":1.5}
{"event":"round","epoch":2,"round":1,"eta":2.0,"normalizer_ratio":0.01,"mean_loss":0.7,"mean_lambda":[0.6,0.4],"mcmc":{"rhat":1.002,"ess":812.0,"acceptance":0.41,"evaluated":9}}
{"event":"epoch","epoch":2,"round":1,"train_loss":1.0,"validation_loss":1.1,"validation_accuracy":0.5}
{"event":"epoch","epoch":3,"round":1,"train_loss":null,"validation_loss":0.9,"validation_accuracy":0.75}
)";
  }
  std::string results() const {
    RunRecord run{.seed = seed, .seconds = 1.5, .fit = {.epochs = 3}};
    run.validation = {0.9, {{"accuracy", 0.75}, {"nll", 0.4}}};
    run.test = Scores{{"accuracy", accuracy}, {"nll", 0.5}};
    run.fit.shares = shares;
    if (distribution) run.graphs = mixture();
    const Results all{
        "mine & yours", method, {}, {{"accuracy", true, true}, {"nll", false}}, {run}};
    return to_json(all).dump();
  }
  static GraphDistribution mixture() {
    return {.family = "mixture",
            .names = {"good", "bad<b>"},
            .num_shares = 2,
            .points = {{{0.0, 1.0}, 0.2}, {{1.0, 0.0}, 0.8}},
            .prior = {{{0.0, 0.5}, {1.0, 0.5}}, {{0.0, 0.5}, {1.0, 0.5}}}};
  }
  static std::string predictions() {
    return std::string("node,split,label,predicted,p(x),p(y),entropy,graph_information\n") + kEvil +
           ",test,x,y,0.4,0.6,0.67,0.3\n" +
           "b,test,x,x,0.9,0.1,0.33,0.01\n"
           "c,test,y,y,0.2,0.8,0.5,0.02\n"
           "d,train,x,x,0.99,0.01,0.06,0\n"
           "e,validation,y,x,0.7,0.3,0.61,0\n";
  }
  static std::string edges() {
    return std::string("source,target,kind,cosine,p,p_rate\n") + kEvil + ",b,observed,,0.2,0.3\n" +
           "b,c,observed,,0.9,0.9\n" + kEvil + ",c,candidate,0.8,0.7,0.1\n";
  }
};

size_t count(const std::string& text, const std::string& what) {
  size_t out = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

TEST(RunReport, ShowsWhatAFolderHolds) {
  const TempDir dir;
  SmallRun().write(dir.path());
  const std::string html = html_report({dir.path()});
  for (const char* text :
       {"Test accuracy 75.00 % (one run, seed 0)", "would have 66.67 %", "Weight of good",
        "Confusion, test rows", "Reliability", "Most doubtful edges", "Most wanted edges",
        "Least sure answers", "Surest mistakes", "Effective draws", "Accepted proposals",
        "ϱ, how well", "rounds = 2", "Validation accuracy", "--method gcn --runs 1 --seed 0"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
  EXPECT_GE(count(html, "<svg"), 9U);
  EXPECT_EQ(count(html, "<svg"), count(html, "role=\"img\" aria-label="));
  EXPECT_EQ(count(html, "nan"), 0U);
}

// What a run stored as its verdict, and where it comes from.
TEST(RunReport, SaysTheVerdictAndTheOrigin) {
  const TempDir dir;
  SmallRun().write(dir.path());
  const std::string html = html_report({dir.path()});
  const auto results = nlohmann::json::parse(SmallRun().results());
  ASSERT_GE(results["verdict"].size(), 2U);
  for (const auto& line : results["verdict"])
    EXPECT_NE(html.find("<li>" + escaped(line.get<std::string>()) + ".</li>"), std::string::npos)
        << line;
  for (const char* fact : {"abc123", "1.2.3", "c0ffee", "GCC 12", "cpu", "\"threads\":7"})
    EXPECT_NE(html.find(escaped(fact)), std::string::npos) << fact;
}

// Of a run without a distribution: what was done with the graph.
TEST(RunReport, SaysWhyThereIsNoVerdict) {
  const TempDir dir;
  const auto verdict = [&](const std::string& method, const std::vector<ViewShare>& shares,
                           bool edges) {
    SmallRun{.method = method, .distribution = false, .shares = shares}.write(dir.path());
    if (!edges) fs::remove(dir.path() / "edges.csv");
    const std::string html = html_report({dir.path()});
    const size_t begin = html.find("<h3 id=\"verdict\">");
    return html.substr(begin, html.find("</section>", begin) - begin);
  };
  EXPECT_NE(verdict("gcn", {}, false).find("takes it as it is"), std::string::npos);
  EXPECT_NE(verdict("rsgnn", {}, true).find("One graph was learned"), std::string::npos);
  EXPECT_NE(verdict("gcn", {{"good", 0.7}, {"none", 0.3}}, false).find("One graph was learned"),
            std::string::npos);
  for (const char* method : {"mlp", "rf", "ridge"}) {
    const std::string words = verdict(method, {}, false);
    EXPECT_NE(words.find("sees no graph"), std::string::npos) << method;
    EXPECT_EQ(words.find("Does the graph help"), std::string::npos) << method;
  }
}

TEST(RunReport, DrawsTheNodesThatWereAskedFor) {
  const TempDir dir;
  SmallRun().write(dir.path() / "em");
  SmallRun{.method = "gcn"}.write(dir.path() / "gcn");
  fs::remove(dir.path() / "gcn/edges.csv");
  EXPECT_EQ(html_report({dir.path() / "em"}).find("<option value=\"edge-2\">e</option>"),
            std::string::npos);
  const std::string html = html_report({dir.path() / "gcn", dir.path() / "em"}, {"e", "c", "e"});
  EXPECT_NE(html.find("e: predicted x (70.0 %); no edge of it is in the table"), std::string::npos);
  EXPECT_NE(html.find("The nodes that were asked for"), std::string::npos);
  EXPECT_LT(html.find(">e</option>"), html.find(">c</option>"));
  EXPECT_EQ(count(html, ">c</option>"), 1U);
  expect_error<UsageError>(
      [&] {
        html_report({dir.path() / "em"}, {"e", "<f>"});
      },
      {"--node <f>", "no node"});
  expect_error<UsageError>([&] { html_report({dir.path() / "gcn"}, {"e"}); },
                           {"--node e", "edges.csv"});
}

TEST(RunReport, KnowsTheSameNetworkOnOneGraph) {
  EXPECT_EQ(counterpart_of("em-gcn"), "gcn");
  EXPECT_EQ(counterpart_of("em-acm"), "acm-gcn+");
  EXPECT_EQ(counterpart_of("acm-gcn+"), "em-acm");
  EXPECT_EQ(counterpart_of("bgcn"), "");
}

TEST(RunReport, NamesOfTheDataAreNeverMarkup) {
  const TempDir dir;
  SmallRun().write(dir.path());
  const std::string html = html_report({dir.path()});
  EXPECT_EQ(html.find(kEvil), std::string::npos);
  EXPECT_GE(count(html, "&lt;script&gt;"), 5U);
  EXPECT_EQ(count(html, "<script"), 1U);  // our own
  EXPECT_EQ(html.find("bad<b>"), std::string::npos);
  EXPECT_NE(html.find("mine &amp; yours"), std::string::npos);
}

TEST(RunReport, PairsRunsBySeed) {
  const TempDir dir;
  for (const uint64_t seed : {0, 1, 2}) {
    const double d = static_cast<double>(seed);
    SmallRun{.seed = seed, .accuracy = 0.80 + 0.01 * d}.write(dir.path() / "a" /
                                                              ("seed-" + std::to_string(seed)));
    SmallRun{.seed = seed, .accuracy = 0.75 + 0.02 * d, .method = "gcn"}.write(
        dir.path() / "b" / ("seed-" + std::to_string(seed)));
  }
  for (const char* folder : {"a", "b"}) {
    write_atomically(dir.path() / folder / "config.toml", "split = \"\"\n");
    write_atomically(dir.path() / folder / "manifest.json",
                     R"({"dataset":"d","method":"m","seed":0,"runs":"one folder per seed"})");
  }
  // Differences 0.05, 0.04, 0.03: the mean 0.04, its standard error 0.01/√3.
  const std::string html = html_report({dir.path() / "a", dir.path() / "b"});
  EXPECT_NE(html.find("Ahead of b by 4.00 ± 0.58 points of accuracy (paired by 3 seeds"),
            std::string::npos);
  EXPECT_NE(html.find("81.00 ± 1.00 %"), std::string::npos);
  EXPECT_NE(html.find("What was learned"), std::string::npos);
  EXPECT_NE(html.find("0.80 (0.00 to 1.00)"), std::string::npos);
  EXPECT_NE(html_report({dir.path() / "b", dir.path() / "a"}).find("Behind a by 4.00 ± 0.58"),
            std::string::npos);
}

TEST(RunReport, MembersOfAnEnsembleAreLinesOfTheirOwn) {
  const TempDir dir;
  const auto lines = [&](const char* second) {
    SmallRun().write(dir.path());
    std::string metrics;
    for (int epoch = 1; epoch <= 4; ++epoch)
      metrics +=
          fmt::format(R"({{"event":"epoch","epoch":{},"round":0,"train_loss":1.5,"member":{}}})"
                      "\n",
                      epoch, epoch <= 2 ? "0" : second);
    write_atomically(dir.path() / "metrics.jsonl", metrics);
    const std::string html = html_report({dir.path()});
    const size_t begin = html.find("<figcaption>Loss</figcaption>");
    return count(html.substr(begin, html.find("</figure>", begin) - begin), "<polyline");
  };
  EXPECT_EQ(lines("0"), 1U);
  EXPECT_EQ(lines("1"), 2U);
}

TEST(RunReport, AnUnfinishedRunIsShownAsFarAsItIs) {
  const TempDir dir;
  SmallRun{.finished = false}.write(dir.path());
  append_to_file(dir.path() / "metrics.jsonl", "{\"event\":\"epo");  // killed while writing
  const std::string html = html_report({dir.path()});
  EXPECT_NE(html.find("Not finished: seed 0 (3 epochs so far)."), std::string::npos);
  EXPECT_NE(html.find("<figcaption>Loss</figcaption>"), std::string::npos);
  EXPECT_NE(html.find("rounds = 2"), std::string::npos);
}

TEST(RunReport, DamageIsNamedInOneLine) {
  const TempDir dir;
  EXPECT_THROW(html_report({dir.path() / "nowhere"}), UsageError);
  EXPECT_THROW(html_report({dir.path()}), UsageError);  // no run
  const auto fails = [&](const char* file, const char* text, const char* message) {
    SmallRun().write(dir.path());
    write_atomically(dir.path() / file, text);
    expect_error<DataError>([&] { html_report({dir.path()}); }, {file, message});
  };
  fails("manifest.json", "{", "damaged");
  fails("manifest.json", "{}", "dataset is missing");
  fails("manifest.json", R"({"dataset":"d","method":"m","seed":0,"runs":"one"})",
        "data is missing");
  fails("manifest.json", R"({"dataset":"d","method":"m","seed":"x","runs":"one"})",
        "seed is missing");
  fails("results.json", "{\"format\": 3}", "damaged");
  fails("results.json", "{\"format\": 2}", "another version");
  fails("metrics.jsonl", "{\"event\":\"epoch\"}\n", "line 1: damaged");
  fails("config.toml", "split = \n", "config.toml:");
  fails("predictions.csv", "node,split\na,test\n", "label");
  fails("predictions.csv",
        "node,split,label,predicted,p(x),entropy,graph_information\na,test,z,x,1,0,0\n",
        "no class is named");
  fails("predictions.csv",
        "node,split,label,predicted,p(x),entropy,graph_information\na,test,x,x,?,0,0\n", "line 2");
  fails("edges.csv", "source,target\n", "edges.csv");
  for (const char* file : {"predictions.csv", "metrics.jsonl", "config.toml"}) {
    SmallRun().write(dir.path());
    fs::remove(dir.path() / file);
    EXPECT_THROW(html_report({dir.path()}), DataError) << file;
  }
}

// Large tables are summed up, never listed.
TEST(RunReport, StaysSmallWhateverTheNumberOfNodes) {
  const TempDir dir;
  SmallRun().write(dir.path());
  std::string predictions = "node,split,label,predicted,p(x),p(y),entropy,graph_information\n";
  std::string edges = "source,target,kind,cosine,p,p_rate\n";
  for (int i = 0; i < 100'000; ++i) {
    const double p = 0.5 + 0.5 * std::abs(std::sin(i));
    predictions += fmt::format("n{},{},x,x,{:.6g},{:.6g},{:.6g},0\n", i, i % 10 ? "test" : "train",
                               p, 1.0 - p, 0.7 - p / 2.0);
    edges += fmt::format("n{},n{},observed,,{:.6g},0.5\n", i, (i * 7 + 1) % 100'000, p);
  }
  write_atomically(dir.path() / "predictions.csv", predictions);
  write_atomically(dir.path() / "edges.csv", edges);
  EXPECT_LT(html_report({dir.path()}).size(), 500'000U);
}

}  // namespace
}  // namespace emgnn
