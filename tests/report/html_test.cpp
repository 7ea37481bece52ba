// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/html.h>

#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/report/charts.h>
#include <emgnn/report/drawing.h>
#include <emgnn/report/page.h>

namespace emgnn {
namespace {

TEST(Html, NoPartOfATextIsMarkup) {
  EXPECT_EQ(escaped("<script>alert('a & \"b\"')</script>"),
            "&lt;script&gt;alert(&#39;a &amp; &quot;b&quot;&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped("Zürich → λ"), "Zürich → λ");
}

TEST(Html, WhatIsNoTextIsReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("a\xFF\xFE"
                    "b"),
            "a" + mark + mark + "b");
  EXPECT_EQ(escaped(std::string("a\0b\x1B", 4)), "a" + mark + "b" + mark);
  EXPECT_EQ(escaped("a\tb\nc"), "a\tb\nc");
}

TEST(Html, NumbersAreShortAndTellTheirSize) {
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(-1.5), "−1.5");
  EXPECT_EQ(number_text(12.3456), "12.35");
  EXPECT_EQ(number_text(1234567.0), "1,234,567");
  EXPECT_EQ(number_text(3.14e-7), "3.14e-07");
  EXPECT_EQ(number_text(NAN), "–");
  EXPECT_EQ(number_text(INFINITY), "∞");
  EXPECT_EQ(count_text(-1234), "−1,234");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(percent_text(0.876), "87.6 %");
}

TEST(Html, TablesHaveHeadersAndEscapeEveryCell) {
  const Table table{.caption = "a < b",
                    .columns = {"<i>", "count"},
                    .rows = {{cell("<b>x</b>"), count_cell(1500)}}};
  const std::string html = to_html(table);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("<i>"), std::string::npos);
  EXPECT_NE(html.find("<caption>a &lt; b</caption>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"col\">&lt;i&gt;</th>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">&lt;b&gt;x&lt;/b&gt;</th><td class=\"n\">1,500</td>"),
            std::string::npos);
}

TEST(Html, DrawingsEscapeTextsTitlesAndTheirLabel) {
  Drawing drawing(10.0, 10.0);
  drawing.text({1.0, 1.0}, "<a>", Anchor::kStart);
  drawing.circle({1.0, 1.0}, 2.0, "f1", 1.0, "\"><script>");
  const std::string svg = drawing.svg("\" onload=\"x");
  EXPECT_EQ(svg.find("<a>"), std::string::npos);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("aria-label=\"&quot; onload=&quot;x\""), std::string::npos);
}

TEST(Html, LinesAreInterruptedWhereThereIsNoNumber) {
  Drawing drawing(10.0, 10.0);
  drawing.polyline({{0, 0}, {1, 1}, {2, NAN}, {3, 3}, {4, 4}}, "l1");
  const std::string svg = drawing.svg("");
  EXPECT_NE(svg.find("points=\"0,0 1,1\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("points=\"3,3 4,4\""), std::string::npos) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
}

TEST(Html, NamesAreCutBetweenCharacters) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde…");
  EXPECT_EQ(shortened("äöüäöüä", 4), "äöü…");
}

// The digest of the script by `printf … | openssl dgst -sha256 -binary | base64` is checked by the
// browser: a page whose script does not run fails the browser's test.
TEST(Html, APageRunsNoScriptButItsOwnAndFetchesNothing) {
  const std::string html = to_html(Page{.title = "<t>", .lead = {"a & b"}, .footer = "f"});
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(html.find("http:"), std::string::npos);
  EXPECT_EQ(html.find("https:"), std::string::npos);
  EXPECT_NE(html.find("<title>&lt;t&gt;</title>"), std::string::npos);
  EXPECT_NE(html.find("a &amp; b"), std::string::npos);
}

}  // namespace
}  // namespace emgnn
