// SPDX-License-Identifier: Apache-2.0
#include "browser/pages.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

namespace emgnn::cli_test {

namespace {

using Json = nlohmann::json;

int shell(const std::string& command) { return std::system(command.c_str()); }

bool has_chromium() { return shell("command -v chromium >/dev/null 2>&1") == 0; }

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
      cut: [...page.querySelectorAll("caption")].filter(c => c.getBoundingClientRect().right > frame.clientWidth).length,
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

void check_frame(const Json& frame, const Expected& expected) {
  const std::string what = expected.file + " at " + std::to_string(frame["width"].get<int>());
  EXPECT_LE(frame["scroll"], frame["width"]) << what;  // nothing sticks out
  EXPECT_EQ(frame["cut"], 0) << what << ": captions of tables leave the page";
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

}  // namespace

std::string dumped(const Workplace& place, const std::string& file, const std::string& more) {
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

std::string complaints(const Workplace& place) {
  std::istringstream said(read(place.path() / "said"));
  std::string out;
  for (std::string line; std::getline(said, line);)
    if (line.find("CONSOLE") != std::string::npos) out += line + "\n";
  return out;
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

void ReportInBrowser::SetUp() {
  if (!has_chromium()) GTEST_SKIP() << "skipped: chromium is not installed (./dev deps)";
}

void ReportInBrowser::look_at(const std::vector<Expected>& reports, Colours colours) {
  write(place, "frames.html", frames_page(reports));
  for (const Expected& one : reports)
    for (const std::string& part : one.says)
      EXPECT_NE(read(place.path() / one.file).find(part), std::string::npos)
          << one.file << " lacks " << part;
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

}  // namespace emgnn::cli_test
