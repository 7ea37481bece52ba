// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/run_report.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/base/version.h>
#include <emgnn/report/html.h>
#include <emgnn/report/page.h>
#include <emgnn/report/sections.h>

namespace emgnn {

namespace {

struct Section {
  const char *id, *title;
  std::string html;  // empty: there is nothing to say
};

std::vector<Section> sections_of(const RunContents& run, const std::string& id) {
  return {{"verdict", "Do the graphs help?", verdict_section(run)},
          {"distribution", "The learned distribution", distribution_section(run)},
          {"scores", "Scores", scores_section(run)},
          {"training", "Training", training_section(run)},
          {"answers", "Answers", answers_section(run)},
          {"edges", "Edges", edges_section(run, id + "edge")},
          {"settings", "Settings and origin", settings_section(run)}};
}

std::string seeds_words(const StoredRuns& runs) {
  if (runs.fits.size() == 1) return fmt::format("seed {}", runs.fits.front().seed);
  return fmt::format("{} runs, seeds {} to {}", runs.fits.size(), runs.fits.front().seed,
                     runs.fits.back().seed);
}

// The sections of one run, each with its heading; `links` gets those for the navigation.
std::string run_html(const RunContents& run, const std::string& id, std::vector<PageLink>* links) {
  std::string out;
  for (const Section& section : sections_of(run, id)) {
    if (section.html.empty()) continue;
    const std::string anchor = id + section.id;
    out +=
        fmt::format("<section aria-labelledby=\"{0}\">\n<h3 id=\"{0}\">{1}</h3>\n{2}</section>\n",
                    anchor, section.title, section.html);
    if (links != nullptr) links->push_back({anchor, section.title});
  }
  return out;
}

void add_only(const RunContents& run, const std::string& name, Page& page) {
  page.title = fmt::format("{} on {}", run.runs.method, run.runs.dataset);
  page.lead = {outcome_of(run)};
  page.body = fmt::format("<h2>{} <small>{}</small></h2>\n", escaped(name), seeds_words(run.runs)) +
              facts_of(run) + run_html(run, "", &page.contents);
}

void add_several(const std::vector<RunContents>& all, const std::vector<std::string>& names,
                 Page& page) {
  page.title = all.size() <= 4 ? fmt::format("{} beside {}", names[0],
                                             fmt::join(names.begin() + 1, names.end(), ", "))
                               : fmt::format("{} beside {} others", names[0], all.size() - 1);
  page.lead = {fmt::format("{}: {}", names[0], outcome_of(all[0]))};
  for (size_t k = 1; k < all.size(); ++k)
    if (const std::string lead = lead_of(all[0], all[k], names[k]); !lead.empty())
      page.lead.push_back(lead);
  page.contents.push_back({"compare", "Side by side"});
  page.body = "<section aria-labelledby=\"compare\">\n<h2 id=\"compare\">Side by side</h2>\n" +
              comparison_section(all) + "</section>\n";
  for (size_t k = 0; k < all.size(); ++k) {
    const std::string id = fmt::format("run{}-", k + 1);
    page.contents.push_back({id + "top", names[k]});
    page.body += fmt::format(
        "<details class=\"run\" id=\"{}top\"{}><summary><h2>{} <small>{} on {}, {}</small></h2>"
        "</summary>\n<p class=\"lead\">{}</p>\n{}</details>\n",
        id, k == 0 ? " open" : "", escaped(names[k]), escaped(all[k].runs.method),
        escaped(all[k].runs.dataset), seeds_words(all[k].runs), escaped(outcome_of(all[k])),
        run_html(all[k], id, nullptr));
  }
}

// Each is drawn somewhere.
void check_nodes(const std::vector<RunContents>& all, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return;
  if (std::none_of(all.begin(), all.end(),
                   [](const RunContents& run) { return !run.edge_file.empty(); }))
    throw UsageError(
        fmt::format("--node {}: there are no edges to draw: no finished run here has edges.csv",
                    nodes.front()));
  for (const std::string& node : nodes) {
    const auto has = [&](const RunContents& run) {
      return std::find(run.asked.begin(), run.asked.end(), node) != run.asked.end();
    };
    if (std::none_of(all.begin(), all.end(), has))
      throw UsageError(
          fmt::format("--node {}: no node of the runs with edges.csv has this id", node));
  }
}

}  // namespace

std::string html_report(const std::vector<std::filesystem::path>& folders,
                        const std::vector<std::string>& nodes) {
  EMGNN_CHECK(!folders.empty(), "a report needs at least one folder", folders.size());
  std::vector<RunContents> all;
  for (const std::filesystem::path& folder : folders) all.push_back(read_contents(folder, nodes));
  check_nodes(all, nodes);
  const std::vector<std::string> names = short_names(all);
  Page page{.footer = fmt::format("emgnn {} ({})", version(), version_commit())};
  all.size() == 1 ? add_only(all[0], names[0], page) : add_several(all, names, page);
  return to_html(page);
}

}  // namespace emgnn
