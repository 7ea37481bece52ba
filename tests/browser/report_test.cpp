// SPDX-License-Identifier: Apache-2.0
// Reports of real runs of each kind, in a real browser: headless Chromium, from file URLs.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "cli/small_graph.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::json;

int shell(const std::string& command) { return std::system(command.c_str()); }

bool has_chromium() { return shell("command -v chromium >/dev/null 2>&1") == 0; }

// What the page's document becomes; what the browser says is in `place`/said.
std::string dumped(const Workplace& place, const std::string& file, const std::string& more = "") {
  const std::string here = place.path().string();
  shell("cd '" + here +
        "' && timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic "
        "--no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--disable-dev-shm-usage --enable-logging=stderr --allow-file-access-from-files "
        "--virtual-time-budget=20000 --user-data-dir='" +
        here + "/profile' " + more + " --dump-dom 'file://" + here + "/" + file +
        "' >dom.html 2>said");
  std::filesystem::remove_all(place.path() / "profile");
  return read(place.path() / "dom.html");
}

void train(const Workplace& place, const std::string& out, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "train");
  for (const char* word : {"--quiet", "--threads", "2", "--out"}) arguments.emplace_back(word);
  arguments.push_back(out);
  const Outcome outcome = run(place, arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

void report(const Workplace& place, std::vector<std::string> runs, const std::string& file) {
  runs.insert(runs.begin(), "report");
  runs.insert(runs.end(), {"--out", file});
  const Outcome outcome = run(place, runs);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

struct Expected {
  std::string file;
  std::vector<std::string> charts;  // beginnings of captions
};

// Every report in two frames, as wide as a desktop and as a phone, and what they look like from inside.
std::string frames_page(const std::vector<Expected>& reports) {
  std::string out = "<!DOCTYPE html><body><pre id=\"measured\"></pre>\n";
  for (const Expected& one : reports)
    for (const int width : {1280, 360})
      out += "<iframe src=\"" + one.file + "\" data-file=\"" + one.file +
             "\" style=\"border:0;width:" + std::to_string(width) + "px;height:800px\"></iframe>\n";
  return out + R"(<script>
window.addEventListener("load", () => {
  const all = [...document.querySelectorAll("iframe")].map(frame => {
    const page = frame.contentDocument, root = page.documentElement;
    page.querySelectorAll("details").forEach(d => { d.open = true; });
    const shown = e => e.getBoundingClientRect().width > 50 && e.getBoundingClientRect().height > 50;
    const luminance = c => c.match(/\d+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const style = getComputedStyle(page.body);
    const text = luminance(style.color), ground = luminance(style.backgroundColor);
    const figures = [...page.querySelectorAll("figure")].filter(f => !f.closest("[hidden]"));
    return {file: frame.dataset.file, width: frame.clientWidth, scroll: root.scrollWidth,
      captions: figures.filter(f => shown(f.querySelector("svg"))).map(f => f.querySelector("figcaption").textContent),
      figures: figures.length, tables: page.querySelectorAll("table").length, underlined: page.querySelectorAll("u").length,
      alive: [...page.querySelectorAll(".choice")].every(c => !c.hidden),
      dark: ground < text, contrast: (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05),
      choices: page.querySelectorAll("select option").length,
      letters: figures.map(f => f.querySelector("svg"))
        .map(s => 12 * s.getBoundingClientRect().width / s.viewBox.baseVal.width).reduce((a, b) => Math.min(a, b), 99)};
  });
  document.getElementById("measured").textContent = "BEGIN." + btoa(unescape(encodeURIComponent(JSON.stringify(all)))) + ".";
});
</script></body>
)";
}

std::string from_base64(const std::string& text) {
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    have += 6;
    if (have >= 8) out += static_cast<char>(bits >> (have -= 8) & 255U);
  }
  return out;
}

// What a page may not say: errors of scripts, refused scripts or files.
std::string complaints(const Workplace& place) {
  std::istringstream said(read(place.path() / "said"));
  std::string out;
  for (std::string line; std::getline(said, line);)
    if (line.find("CONSOLE") != std::string::npos) out += line + "\n";
  return out;
}

void check_frame(const Json& frame, const Expected& expected) {
  const std::string what = expected.file + " at " + std::to_string(frame["width"].get<int>());
  EXPECT_LE(frame["scroll"], frame["width"]) << what;  // nothing sticks out
  EXPECT_TRUE(frame["alive"]) << what;
  EXPECT_EQ(frame["captions"].size(), frame["figures"]) << what;  // each figure's drawing is there
  EXPECT_GE(frame["tables"], frame["figures"]) << what;
  EXPECT_GE(frame["letters"], 9.0) << what;  // pixels
  EXPECT_GE(frame["contrast"], 7.0) << what;
  EXPECT_EQ(frame["underlined"], 0) << what << ": a name of the user has become an element";
  for (const std::string& chart : expected.charts) {
    const auto& all = frame["captions"];
    EXPECT_TRUE(std::any_of(
        all.begin(), all.end(),
        [&](const Json& caption) { return caption.get<std::string>().starts_with(chart); }))
        << what << " lacks " << chart;
  }
}

class ReportInBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_chromium()) GTEST_SKIP() << "skipped: chromium is not installed (./dev deps)";
  }

  enum class Colours { kLight, kDark };

  void look_at(const std::vector<Expected>& reports, Colours colours = Colours::kLight) {
    write(place, "frames.html", frames_page(reports));
    const bool dark = colours == Colours::kDark;
    const std::string dom =
        dumped(place, "frames.html",
               std::string("--blink-settings=preferredColorScheme=") + (dark ? "0" : "1"));
    const size_t begin = dom.find("BEGIN."), end = dom.find('.', begin + 6);
    ASSERT_NE(end, std::string::npos) << dom.substr(0, 500) << read(place.path() / "said");
    const Json frames = Json::parse(from_base64(dom.substr(begin + 6, end - begin - 6)));
    ASSERT_EQ(frames.size(), 2 * reports.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      check_frame(frames[i], reports[i / 2]);
      EXPECT_EQ(frames[i]["dark"], dark) << reports[i / 2].file;
    }
    EXPECT_EQ(complaints(place), "");
  }

  Workplace place;
};

// What the other tests look for would be seen: an error of a script, and a script that is refused.
TEST_F(ReportInBrowser, ComplaintsAreHeard) {
  write(place, "bad.html",
        "<!DOCTYPE html><script>throw new Error('first');</script><meta "
        "http-equiv=\"Content-Security-Policy\" content=\"script-src "
        "'none'\"><script>second()</script>");
  dumped(place, "bad.html");
  EXPECT_NE(complaints(place).find("first"), std::string::npos) << read(place.path() / "said");
  EXPECT_NE(complaints(place).find("Content Security Policy"), std::string::npos);
}

TEST_F(ReportInBrowser, OfGraphsRendersWithoutAWordAtAnyWidth) {
  const std::vector<std::string> relations = {"--dataset", "noisy-relations", "--runs", "2"};
  train(place, "em", joined(relations, {"--method", "em-gcn", "--set", "em.rounds=4"}));
  train(place, "gcn", joined(relations, {"--method", "gcn"}));
  train(place, "rewire",
        {"--dataset", "noisy-citations", "--method", "em-gcn", "--set", "em.recipe=published",
         "--set", "em.rounds=3", "--set", "calibrate=validation"});
  report(place, {"em"}, "em.html");
  report(place, {"gcn/seed-1"}, "gcn.html");
  report(place, {"rewire"}, "rewire.html");
  report(place, {"em", "gcn"}, "both.html");
  const std::vector<std::string> any = {"Loss", "Validation accuracy", "Confusion", "Reliability"};
  look_at({{"em.html", joined(any, {"Weight of informative", "Mean of the distribution", "ϱ"})},
           {"gcn.html", any},
           {"rewire.html", joined(any, {"Probability of each point"})},
           {"both.html", joined(any, {"Each run", "Weight of informative"})}});
  // One report by itself: the list of nodes was filled in, and one drawing is chosen.
  const std::string dom = dumped(place, "rewire.html");
  EXPECT_NE(dom.find("<p class=\"choice\">"), std::string::npos);
  EXPECT_NE(dom.find("data-of=\"edge\" hidden"), std::string::npos);
  EXPECT_NE(dom.find("before calibration"), std::string::npos);
  EXPECT_EQ(complaints(place), "");
}

TEST_F(ReportInBrowser, OfMoleculesRendersWithoutAWordAtAnyWidth) {
  train(place, "mol",
        {"--dataset", "toy-molecules", "--method", "em-gcn-star", "--set", "em.rounds=2"});
  report(place, {"mol"}, "mol.html");
  look_at(
      {{"mol.html", {"Loss", "Validation RMSE", "Probability of radius", "Predicted against"}}});
}

struct Kind {
  const char* name;
  std::vector<std::string> call;
  std::vector<std::string> charts;
};

std::vector<std::string> em(const std::string& dataset, const std::vector<std::string>& settings) {
  std::vector<std::string> out = {"--dataset", dataset, "--method", "em-gcn"};
  for (const std::string& setting : joined({"em.rounds=2", "em.steps=3"}, settings))
    out = joined(out, {"--set", setting});
  return out;
}

const std::vector<Kind>& other_kinds() {
  static const std::vector<Kind> kinds = {
      {"three-views",
       em("noisy-citations", {"space.family=mixture", "space.views=given,knn:5,two-hop"}),
       {"Probability of each mixture", "Reliability"}},
      {"sampled",
       em("noisy-relations", {"em.posterior=mcmc", "mcmc.steps=200", "mcmc.burn_in=20"}),
       {"Accepted proposals", "Effective draws"}},
      {"labels", em("noisy-labels", {}), {"Validation"}},
      {"values", em("noisy-values", {}), {"Predicted against"}},
      {"ensemble",
       {"--dataset", "noisy-relations", "--method", "gcn", "--set", "ensemble=2", "--set",
        "fit.epochs=3"},
       {"Reliability"}},
      {"bgcn",
       {"--dataset", "noisy-citations", "--method", "bgcn", "--set", "fit.epochs=6", "--set",
        "bgcn.warmup=2", "--set", "bgcn.burn_in=1", "--set", "bgcn.random_iterations=20", "--set",
        "bgcn.iterations=10"},
       {"Confusion"}},
      {"named",
       joined(em("<u>a & \"b\"", {"space.views=given"}), {"--preset", "none"}),
       {"Probability of each mixture"}}};
  return kinds;
}

TEST_F(ReportInBrowser, OfOtherKindsRendersInBothColours) {
  SmallGraph graph;
  graph.edge_types = {"<u>near", "far"};
  graph.write(place, "<u>a & \"b\"");
  std::vector<Expected> reports;
  for (const Kind& kind : other_kinds()) {
    train(place, kind.name, kind.call);
    reports.push_back({std::string(kind.name) + ".html", kind.charts});
    report(place, {kind.name}, reports.back().file);
  }
  Program program(place, joined({"train", "--quiet", "--out", "unfinished"},
                                em("noisy-relations", {"em.rounds=5000", "stop.rule=never"})));
  program.wait_until_written(place.path() / "unfinished/metrics.jsonl", 1000);
  program.send(SIGINT);
  ASSERT_EQ(program.wait().status, 4);
  report(place, {"unfinished"}, "unfinished.html");
  reports.push_back({"unfinished.html", {"Loss"}});
  look_at(reports);
  look_at(reports, Colours::kDark);
}

}  // namespace
}  // namespace emgnn::cli_test
