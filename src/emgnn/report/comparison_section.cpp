// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <emgnn/learn/mean_std.h>
#include <emgnn/learn/score_info.h>
#include <emgnn/report/charts.h>
#include <emgnn/report/sections.h>
#include <emgnn/run/verdict.h>

namespace emgnn {

namespace {

// How far one is ahead of another in the seeds that both have: positive is better, whatever the score.
std::vector<double> leads(const RunContents& first, const RunContents& second,
                          const ScoreInfo& score) {
  const std::vector<double> a = first.values_of(score.name), b = second.values_of(score.name);
  std::vector<double> out;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < b.size(); ++k) {
      if (first.finished[i].seed != second.finished[k].seed) continue;
      const double lead = score.higher_is_better ? a[i] - b[k] : b[k] - a[i];
      if (!std::isnan(lead)) out.push_back(lead);
    }
  }
  return out;
}

// "+8.60 ± 0.31 (5 seeds)": the mean and its standard error.
std::string lead_words(const ScoreInfo& score, const std::vector<double>& values) {
  if (values.empty()) return "no seed in common";
  const MeanStd moments = mean_std(values);
  const double unit = score.percent ? 100.0 : 1.0;
  const auto text = [&](double v) {
    return score.percent ? fmt::format("{:.2f}", std::abs(unit * v)) : number_text(std::abs(v));
  };
  const char* sign = moments.mean < 0.0 ? "−" : "+";
  if (values.size() == 1) return fmt::format("{}{} (one seed)", sign, text(moments.mean));
  const double error = moments.std / std::sqrt(static_cast<double>(values.size()));
  return fmt::format("{}{} ± {} ({} seeds)", sign, text(moments.mean), text(error), values.size());
}

bool comparable(const RunContents& a, const RunContents& b) {
  return a.runs.labels == b.runs.labels && std::string(a.part()) == b.part() &&
         !a.finished.empty() && !b.finished.empty();
}

bool same_data(const RunContents& a, const RunContents& b) {
  for (const StoredFit& one : a.runs.fits)
    for (const StoredFit& other : b.runs.fits)
      if (one.seed == other.seed && one.data_sha256 != other.data_sha256) return false;
  return true;
}

std::string notes_on(const std::vector<RunContents>& all, const std::vector<std::string>& names) {
  std::string out;
  for (size_t k = 1; k < all.size(); ++k) {
    if (!comparable(all[0], all[k])) {
      out += fmt::format(
          "<p class=\"warning\">{} is not compared: it is not finished, has other "
          "labels, or its scores are of other rows.</p>\n",
          escaped(names[k]));
    } else if (!same_data(all[0], all[k])) {
      out += fmt::format(
          "<p class=\"warning\">The data of {} and of {} differ (data.sha256 of their "
          "manifests): differences are not due to the methods alone.</p>\n",
          escaped(names[0]), escaped(names[k]));
    }
  }
  return out;
}

Table score_table(const std::vector<RunContents>& all, const std::vector<std::string>& names) {
  Table out{
      .caption = fmt::format("Scores of the {} rows, mean ± standard deviation", all[0].part()),
      .columns = {"score"},
      .rows = {}};
  out.columns.insert(out.columns.end(), names.begin(), names.end());
  for (const ScoreInfo& score : score_info(all[0].runs.labels)) {
    std::vector<Cell> row = {
        cell(score_name(score.name) + (score.higher_is_better ? "" : " (low is good)"))};
    bool any = false;
    for (const RunContents& one : all) {
      const std::vector<double> values =
          comparable(all[0], one) ? one.values_of(score.name) : std::vector<double>{};
      const bool has = !values.empty() && std::none_of(values.begin(), values.end(),
                                                       [](double v) { return std::isnan(v); });
      any = any || has;
      row.push_back({has ? moments_words(score, values) : "–", true});
    }
    if (any) out.rows.push_back(std::move(row));
  }
  std::vector<Cell> seconds = {cell("seconds per run")};
  for (const RunContents& one : all) {
    std::vector<double> values;
    for (const RunRecord& run : one.finished) values.push_back(run.seconds);
    seconds.push_back({values.empty() ? "–" : number_text(mean_std(values).mean), true});
  }
  out.rows.push_back(std::move(seconds));
  return out;
}

Table lead_table(const std::vector<RunContents>& all, const std::vector<std::string>& names) {
  Table out{.caption = fmt::format("How far {} is ahead, seed by seed: mean difference ± its "
                                   "standard error; + is better",
                                   names[0]),
            .columns = {"score"},
            .rows = {}};
  for (size_t k = 1; k < all.size(); ++k) out.columns.push_back("of " + names[k]);
  for (const ScoreInfo& score : score_info(all[0].runs.labels)) {
    std::vector<Cell> row = {cell(score_name(score.name) + (score.percent ? " in points" : ""))};
    bool any = false;
    for (size_t k = 1; k < all.size(); ++k) {
      const std::vector<double> values =
          comparable(all[0], all[k]) ? leads(all[0], all[k], score) : std::vector<double>{};
      any = any || !values.empty();
      row.push_back({values.empty() ? "–" : lead_words(score, values), true});
    }
    if (any) out.rows.push_back(std::move(row));
  }
  return out;
}

Table seed_table(const std::vector<RunContents>& all, const std::vector<std::string>& names) {
  const ScoreInfo& score = all[0].main_score();
  std::set<uint64_t> seeds;
  for (const RunContents& one : all)
    for (const RunRecord& run : one.finished) seeds.insert(run.seed);
  Table out{.caption = fmt::format("{} by seed", score_name(score.name)),
            .columns = {"seed"},
            .rows = {}};
  out.columns.insert(out.columns.end(), names.begin(), names.end());
  for (const uint64_t seed : seeds) {
    std::vector<Cell>& row = out.rows.emplace_back();
    row.push_back({std::to_string(seed), true});
    for (const RunContents& one : all) {
      Cell& at = row.emplace_back(Cell{"–", true});
      if (!comparable(all[0], one)) continue;
      const std::vector<double> values = one.values_of(score.name);
      for (size_t i = 0; i < values.size(); ++i)
        if (one.finished[i].seed == seed) at.text = score_words(score, values[i]);
    }
  }
  return out;
}

// The settings that are not the same everywhere.
Table difference_table(const std::vector<RunContents>& all, const std::vector<std::string>& names) {
  Table out{.caption = "Settings that differ", .columns = {"key"}, .rows = {}};
  out.columns.insert(out.columns.end(), names.begin(), names.end());
  std::set<std::string> keys;
  for (const RunContents& one : all)
    for (const auto& [key, value] : one.runs.settings) keys.insert(key);
  for (const std::string& key : keys) {
    std::vector<Cell> row = {cell(key)};
    std::set<std::string> values;
    for (const RunContents& one : all) {
      const auto found = one.runs.settings.find(key);
      const bool has = found != one.runs.settings.end();
      values.insert(has ? "=" + found->second : "");
      row.push_back(cell(!has ? "not read" : found->second.empty() ? "\"\"" : found->second));
    }
    if (values.size() > 1) out.rows.push_back(std::move(row));
  }
  return out;
}

// The mean and the central 90 % of each coordinate of what was learned.
Table learned_table(const std::vector<RunContents>& all, const std::vector<std::string>& names) {
  Table out{.caption = "What was learned: means and central 90 % intervals",
            .columns = {"parameter"},
            .rows = {}};
  out.columns.insert(out.columns.end(), names.begin(), names.end());
  std::vector<std::string> parameters;  // in the order of their first run
  std::vector<std::map<std::string, std::string>> said(all.size());
  for (size_t k = 0; k < all.size(); ++k) {
    const std::optional<GraphDistribution> graphs = mean_graphs(all[k].finished);
    if (!graphs || graphs->points.size() < 2) continue;
    for (const CoordinateSummary& c : verdict_of(*graphs).coordinates) {
      if (std::find(parameters.begin(), parameters.end(), c.name) == parameters.end())
        parameters.push_back(c.name);
      said[k][c.name] = fmt::format("{:.2f} ({:.2f} to {:.2f})", c.mean, c.low, c.high);
    }
  }
  for (const std::string& parameter : parameters) {
    std::vector<Cell>& row = out.rows.emplace_back();
    row.push_back(cell(parameter));
    for (const auto& of : said)
      row.push_back({of.contains(parameter) ? of.at(parameter) : "–", true});
  }
  return out;
}

// The validation score of the seed that each run shows.
LinePlot validation_curves(const std::vector<RunContents>& all,
                           const std::vector<std::string>& names) {
  const ScoreInfo& score = all[0].main_score();
  LinePlot out{.caption = "Validation " + score_name(score.name),
               .x_label = "epoch",
               .y_label = score_name(score.name) + (score.percent ? " in %" : ""),
               .series = {},
               .percent = score.percent};
  for (size_t k = 0; k < std::min<size_t>(8, all.size()); ++k) {
    const StoredFit& fit = all[k].runs.shown();
    Series series{.name = fmt::format("{}, seed {}", names[k], fit.seed),
                  .style = static_cast<int>(k) + 1,
                  .x = {},
                  .y = {}};
    for (const EpochRecord& epoch : fit.log.epochs) {
      const double* value = epoch.validation ? epoch.validation->scores.find(score.name) : nullptr;
      if (value == nullptr) continue;
      series.x.push_back(static_cast<double>(epoch.epoch));
      series.y.push_back(*value);
      series.part.push_back(epoch.member.value_or(0));
    }
    if (!series.x.empty()) out.series.push_back(std::move(series));
  }
  return out;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<RunContents>& all) {
  std::vector<std::string> out;
  const auto parts_of = [](const RunContents& one) {
    std::vector<std::string> parts;
    const std::filesystem::path path =
        std::filesystem::absolute(one.runs.folder).lexically_normal();
    for (const auto& part : path)
      if (!part.empty()) parts.push_back(part.string());
    return parts;
  };
  for (size_t many = 1; many < 64; ++many) {
    out.clear();
    for (const RunContents& one : all) {
      const std::vector<std::string> parts = parts_of(one);
      const size_t from = parts.size() - std::min(many, parts.size());
      out.push_back(fmt::format(
          "{}", fmt::join(parts.begin() + static_cast<ptrdiff_t>(from), parts.end(), "/")));
    }
    if (std::set<std::string>(out.begin(), out.end()).size() == out.size()) break;
  }
  return out;
}

std::string lead_of(const RunContents& first, const RunContents& second, const std::string& name) {
  if (!comparable(first, second)) return "";
  const ScoreInfo& score = first.main_score();
  const std::vector<double> values = leads(first, second, score);
  if (values.empty()) return fmt::format("{}: no seed in common.", name);
  const MeanStd moments = mean_std(values);
  const auto text = [&](double v) {
    return score.percent ? fmt::format("{:.2f}", 100.0 * v) : number_text(v);
  };
  const size_t n = values.size();
  const std::string error =
      n == 1 ? "" : " ± " + text(moments.std / std::sqrt(static_cast<double>(n)));
  return fmt::format("{} {} by {}{}{} of {} ({}).", moments.mean >= 0.0 ? "Ahead of" : "Behind",
                     name, text(std::abs(moments.mean)), error, score.percent ? " points" : "",
                     score_name(score.name),
                     n == 1 ? "one seed, so nothing is known of the error"
                            : fmt::format("paired by {} seeds, mean ± standard error", n));
}

std::string comparison_section(const std::vector<RunContents>& all) {
  const std::vector<std::string> names = short_names(all);
  std::string out = notes_on(all, names);
  if (all[0].finished.empty())
    return out + "<p>The first run is not finished: there is nothing to compare with.</p>\n";
  const ScoreInfo& score = all[0].main_score();
  std::vector<Strip> strips;
  for (size_t k = 0; k < all.size(); ++k)
    if (comparable(all[0], all[k])) strips.push_back({names[k], all[k].values_of(score.name)});
  const std::string label =
      fmt::format("{} {}{}", all[0].part(), score_name(score.name), score.percent ? " in %" : "");
  std::vector<Chart> charts = {strip_chart("Each run", label, score.percent, strips)};
  const LinePlot curves = validation_curves(all, names);
  if (!curves.series.empty()) charts.push_back(line_chart(curves));
  out += to_html(charts);
  out += "<div class=\"tables\">\n" + to_html(lead_table(all, names)) +
         to_html(score_table(all, names)) + to_html(seed_table(all, names)) + "</div>\n";
  const Table learned = learned_table(all, names);
  if (!learned.rows.empty()) out += to_html(learned);
  const Table differences = difference_table(all, names);
  if (!differences.rows.empty())
    out += folded(fmt::format("{} settings differ", differences.rows.size()), to_html(differences));
  return out;
}

}  // namespace emgnn
