// SPDX-License-Identifier: Apache-2.0
// A report without a mouse.
#include "browser/chromium.h"
#include "browser/pages.h"
#include "cli/small_graph.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::json;

class ReportByKeyboard : public ReportInBrowser {
 protected:
  void SetUp() override {
    ReportInBrowser::SetUp();
    if (IsSkipped()) return;
    SmallGraph graph;
    graph.edge_types = {"near"};
    graph.write(place, "graph");
    train(place, "run",
          {"--dataset", "graph", "--method", "em-gcn", "--set", "em.recipe=published", "--set",
           "em.rounds=2", "--set", "em.steps=3"});
    report(place, {"run"}, "report.html");
    report(place, {"run", "--node", "n17", "--node", "n3"}, "named.html");
  }
};

// The place in the document of what has the focus, -1: nothing has; whether it shows that, and where.
constexpr const char* kFocus = R"((() => {
  const at = document.activeElement, style = getComputedStyle(at), box = at.getBoundingClientRect();
  return {place: at === document.body ? -1 : [...document.querySelectorAll("*")].indexOf(at),
    what: at.tagName + " " + at.textContent.slice(0, 40), outline: style.outlineStyle,
    width: parseFloat(style.outlineWidth), colour: style.outlineColor, ground: getComputedStyle(document.body).backgroundColor,
    shown: box.width > 0 && box.height > 0 && box.left >= 0 && box.top < innerHeight && box.bottom > 0};
})())";

// Everything that a keyboard has to reach, in the order of the page.
constexpr const char* kControls = R"([...document.querySelectorAll("*")].map((e, i) => [e, i])
  .filter(([e]) => e.matches('a[href], summary, select, [tabindex="0"]') && e.checkVisibility()).map(([e, i]) => i))";

TEST_F(ReportByKeyboard, TabReachesEveryControlInOrderAndShowsWhere) {
  Chromium browser(place);
  for (const int width : {1280, 360}) {
    browser.open("report.html", width, 800);
    const Json controls = browser.value_of(kControls);
    ASSERT_GT(controls.size(), 20U);
    for (const Json& control : controls) {
      browser.press("Tab");
      const Json focus = browser.value_of(kFocus);
      ASSERT_EQ(focus["place"], control) << focus;
      EXPECT_EQ(focus["outline"], "solid") << focus;
      EXPECT_GE(focus["width"], 3.0) << focus;
      EXPECT_NE(focus["colour"], focus["ground"]) << focus;
      EXPECT_TRUE(focus["shown"]) << focus;
    }
    browser.press("Tab", true);
    EXPECT_EQ(browser.value_of(kFocus)["place"], controls[controls.size() - 2]);
  }
}

TEST_F(ReportByKeyboard, EnterSkipsToTheResultsAndOpensWhatIsFolded) {
  Chromium browser(place);
  browser.open("report.html", 1280, 800);
  browser.press("Tab");
  browser.press("Enter");
  EXPECT_EQ(browser.value_of("location.hash"), "#main");
  browser.press("Tab");
  EXPECT_EQ(browser.value_of("document.activeElement.closest('main') !== null"), true);
  EXPECT_EQ(browser.value_of("document.activeElement.tagName"), "SUMMARY");
  EXPECT_EQ(browser.value_of("document.activeElement.parentElement.open"), false);
  browser.press("Enter");
  EXPECT_EQ(browser.value_of("document.activeElement.parentElement.open"), true);
  browser.press("Tab");  // to the commands in it, which may be wider than the page
  EXPECT_EQ(browser.value_of("document.activeElement.tagName"), "PRE");
}

// The drawings that are shown, of those among which the list chooses.
constexpr const char* kShown =
    R"([...document.querySelectorAll("[data-of]")].filter(e => e.checkVisibility())
  .map(e => [e.id, e.querySelector("figcaption").textContent]))";

TEST_F(ReportByKeyboard, AnArrowChoosesAnotherNeighbourhood) {
  Chromium browser(place);
  browser.open("named.html", 1280, 800);
  for (int i = 0; i < 500 && browser.value_of("document.activeElement.tagName") != "SELECT"; ++i)
    browser.press("Tab");
  ASSERT_EQ(browser.value_of("document.activeElement.tagName"), "SELECT");
  EXPECT_EQ(browser.value_of("document.activeElement.labels[0].textContent.trim().slice(0, 4)"),
            "Node");
  const Json nodes = browser.value_of("[...document.activeElement.options].map(o => o.text)");
  ASSERT_GE(nodes.size(), 4U);
  EXPECT_EQ(nodes[0], "n17");
  EXPECT_EQ(nodes[1], "n3");
  const auto expect_shown = [&](size_t k) {
    const Json shown = browser.value_of(kShown);
    ASSERT_EQ(shown.size(), 1U) << shown;
    EXPECT_EQ(shown[0][0], "edge-" + std::to_string(k));
    EXPECT_TRUE(shown[0][1].get<std::string>().starts_with(nodes[k].get<std::string>() + ": "))
        << shown;
  };
  expect_shown(0);
  browser.press("ArrowDown");
  expect_shown(1);
  browser.press("ArrowDown");
  expect_shown(2);
  browser.press("ArrowUp");
  expect_shown(1);
  EXPECT_EQ(browser.value_of("document.activeElement.tagName"), "SELECT");  // the focus stays
}

// Nothing is hidden that only a script would show.
TEST_F(ReportByKeyboard, WithoutAScriptEveryNeighbourhoodIsThere) {
  const std::string html = read(place.path() / "named.html");
  EXPECT_NE(html.find("<p class=\"choice\" hidden>"), std::string::npos);
  EXPECT_NE(html.find("data-of=\"edge\">"), std::string::npos);
  EXPECT_EQ(html.find("data-of=\"edge\" hidden"), std::string::npos);
}

}  // namespace
}  // namespace emgnn::cli_test
