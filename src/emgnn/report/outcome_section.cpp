// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <emgnn/base/shell_quoted.h>
#include <emgnn/learn/mean_std.h>
#include <emgnn/learn/score_info.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/methods/counterpart.h>
#include <emgnn/report/html.h>
#include <emgnn/report/sections.h>
#include <emgnn/run/verdict.h>

namespace emgnn {

namespace {

std::string counted(size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string unfinished_words(const RunContents& contents) {
  std::vector<std::string> parts;
  for (const StoredFit& fit : contents.runs.fits) {
    if (fit.record) continue;
    parts.push_back(
        fmt::format("seed {} ({} so far)", fit.seed, counted(fit.log.epochs.size(), "epoch")));
  }
  if (parts.empty()) return "";
  return fmt::format("Not finished: {}. emgnn train --resume {} resumes.", fmt::join(parts, ", "),
                     shell_quoted(contents.runs.folder.string()));
}

std::string baseline_words(const RunContents& contents) {
  const std::optional<double>& baseline = contents.predictions->baseline;
  if (!baseline) return "";
  const std::string value = score_words(contents.main_score(), *baseline);
  return contents.runs.labels == LabelKind::kValues
             ? fmt::format(" The mean of the training rows as the only answer would have {}.",
                           value)
             : fmt::format(
                   " The most frequent class of the training rows as the only answer would have "
                   "{}.",
                   value);
}

// The settings that say which data it is.
std::string data_settings(const StoredRuns& runs) {
  static const std::map<std::string, std::string> kUsual = {
      {"split", ""}, {"task", "auto"}, {"perturb", "0"}, {"data.target", ""}, {"data.smiles", ""}};
  std::string out;
  for (const auto& [key, usual] : kUsual) {
    const auto found = runs.settings.find(key);
    if (found == runs.settings.end() || found->second == usual || found->second == "0.0") continue;
    out += " --set " + shell_quoted(fmt::format("{}={}", key, found->second));
  }
  return out;
}

std::string command_for(const RunContents& contents, const std::string& method,
                        const std::string& more) {
  const StoredRuns& runs = contents.runs;
  const std::string folder = runs.folder.lexically_normal().string();
  const std::string out = folder + "-" + (more.empty() ? method : "prior");
  return fmt::format(
      "emgnn train --dataset {} --method {} --runs {} --seed {}{}{} --out {}\n"
      "emgnn report {} {}",
      shell_quoted(runs.dataset), method, runs.fits.size(), runs.fits.front().seed,
      data_settings(runs), more, shell_quoted(out), shell_quoted(folder), shell_quoted(out));
}

// What would have to be trained to know more.
std::string advice(const RunContents& contents) {
  const std::string& method = contents.runs.method;
  const std::string other = counterpart_of(method);
  std::string out;
  const auto add = [&](const char* why, const std::string& command) {
    out += fmt::format("<p>{}</p>\n<pre tabindex=\"0\">{}</pre>\n", why, escaped(command));
  };
  const auto& all = methods();
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const MethodInfo& m) { return m.name == method; });
  if (known != all.end() && known->em && !other.empty()) {
    add("Is the distribution over graphs worth anything? Compare with the same network on the one "
        "graph as given, seed by seed:",
        command_for(contents, other, ""));
    add("Is it what was learned, or just the averaging? Compare with all graphs alike:",
        command_for(contents, method, " --set em.posterior=prior"));
  } else if (sees_graph(method)) {
    add("Does the graph help at all? Compare with a network that sees no graph, seed by seed:",
        command_for(contents, "mlp", ""));
    if (!other.empty())
      add("Is the graph to be trusted? Compare with the same network over a distribution of "
          "graphs:",
          command_for(contents, other, ""));
  }
  return out;
}

std::string list(const std::vector<std::string>& lines) {
  std::string out = "<ul class=\"verdict\">\n";
  for (const std::string& line : lines) {
    const bool warning = line.starts_with("warning: ");
    out += fmt::format("<li{}>{}.</li>\n", warning ? " class=\"warning\"" : "", escaped(line));
  }
  return out + "</ul>\n";
}

// What a run stores of its graphs beside the verdict.
void add_rankings(const std::vector<RunRecord>& runs, std::vector<std::string>& lines) {
  std::vector<double> rank, auc;
  for (const RunRecord& run : runs) {
    if (run.graph_rank && run.graph_rank->correlation) rank.push_back(*run.graph_rank->correlation);
    if (run.edge_auc) auc.push_back(*run.edge_auc);
  }
  if (!auc.empty())
    lines.push_back(fmt::format(
        "the probability of an edge tells the graph's own edges from those that were planted at "
        "random: ROC AUC {} (0.5: not at all)",
        number_text(mean_std(auc).mean)));
  if (!rank.empty())
    lines.push_back(
        fmt::format("the graphs that training prefers and those that predict the test best: rank "
                    "correlation {}",
                    number_text(mean_std(rank).mean)));
}

// Where there is no line.
std::string no_verdict(const RunContents& contents) {
  if (contents.finished.empty()) return "There is no verdict before the run is finished.";
  const RunRecord& run = contents.finished.front();
  if (!sees_graph(contents.runs.method)) return "This method sees no graph.";
  if (run.graphs) return "There is nothing to say about the graphs of this run.";
  if (!run.fit.shares.empty() || !contents.edge_file.empty())
    return "One graph was learned, not a distribution of graphs: nothing tells how far it is to be "
           "trusted.";
  return "Nothing was learned about the graph: this method takes it as it is.";
}

std::vector<std::string> seed_columns(const RunContents& contents, std::string first,
                                      const char* over_runs) {
  std::vector<std::string> out = {std::move(first)};
  if (contents.finished.size() > 1) out.emplace_back(over_runs);
  for (const RunRecord& run : contents.finished) out.push_back(fmt::format("seed {}", run.seed));
  return out;
}

Table score_table(const RunContents& contents) {
  Table table{.caption = fmt::format("Scores of the {} rows", contents.part()),
              .columns = seed_columns(contents, "score", "mean ± std"),
              .rows = {}};
  for (const ScoreInfo& info : score_info(contents.runs.labels)) {
    const std::vector<double> values = contents.values_of(info.name);
    if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) continue;
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back(cell(score_name(info.name) + (info.higher_is_better ? "" : " (low is good)")));
    if (values.size() > 1) row.push_back({moments_words(info, values), true});
    for (const double v : values) row.push_back({score_words(info, v), true});
  }
  return table;
}

Table cost_table(const RunContents& contents) {
  Table table{
      .caption = "What it took", .columns = seed_columns(contents, "cost", "mean"), .rows = {}};
  const auto add = [&](const char* name, const auto& value) {
    std::vector<double> values;
    for (const RunRecord& run : contents.finished) values.push_back(value(run));
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back(cell(std::string(name)));
    if (values.size() > 1) row.push_back(cell(mean_std(values).mean));
    for (const double v : values) row.push_back(cell(v));
  };
  add(contents.runs.shown().log.epochs.empty() ? "steps" : "epochs",
      [](const RunRecord& run) { return static_cast<double>(run.fit.epochs); });
  add("EM rounds", [](const RunRecord& run) { return static_cast<double>(run.fit.rounds.size()); });
  add("seconds", [](const RunRecord& run) { return run.seconds; });
  add("seconds to prepare", [](const RunRecord& run) { return run.prepare_seconds; });
  add("peak memory in MB", [](const RunRecord& run) { return run.peak_rss_mb; });
  return table;
}

}  // namespace

std::string score_name(const std::string& name) {
  static const std::map<std::string, std::string> kNames = {
      {"micro_f1", "micro F1"},
      {"macro_f1", "macro F1"},
      {"balanced_accuracy", "balanced accuracy"},
      {"roc_auc", "ROC AUC"},
      {"average_precision", "average precision"},
      {"nll", "negative log-likelihood"},
      {"brier", "Brier score"},
      {"ece", "calibration error"},
      {"exact_match", "exact match"},
      {"rmse", "RMSE"},
      {"mae", "MAE"},
      {"r2", "R²"},
      {"calibration_error", "calibration error"},
      {"coverage_90", "coverage of 90 %"},
      {"spread_error_correlation", "correlation of spread and error"}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
}

std::string score_words(const ScoreInfo& info, double value) {
  if (!info.percent || std::isnan(value)) return number_text(value);
  return fmt::format("{}{:.2f} %", value < 0.0 ? "−" : "", std::abs(100.0 * value));
}

std::string moments_words(const ScoreInfo& info, const std::vector<double>& values) {
  const MeanStd moments = mean_std(values);
  if (values.size() == 1) return score_words(info, moments.mean);
  if (!info.percent)
    return fmt::format("{} ± {}", number_text(moments.mean), number_text(moments.std));
  return fmt::format("{:.2f} ± {:.2f} %", 100.0 * moments.mean, 100.0 * moments.std);
}

std::string outcome_of(const RunContents& contents) {
  const std::string unfinished = unfinished_words(contents);
  if (contents.finished.empty()) return unfinished;
  const ScoreInfo& score = contents.main_score();
  const size_t n = contents.finished.size();
  return fmt::format("{} {} {}{}.{}{}", contents.runs.has_test() ? "Test" : "Validation",
                     score_name(score.name), moments_words(score, contents.values_of(score.name)),
                     n == 1 ? fmt::format(" (one run, seed {})", contents.finished.front().seed)
                            : fmt::format(" (mean ± standard deviation of {} runs)", n),
                     baseline_words(contents), unfinished.empty() ? "" : " " + unfinished);
}

std::string scores_section(const RunContents& contents) {
  if (contents.finished.empty()) return "";
  return "<div class=\"tables\">\n" + to_html(score_table(contents)) +
         to_html(cost_table(contents)) + "</div>\n";
}

std::string facts_of(const RunContents& contents) {
  if (contents.finished.empty()) return "";
  std::string out = "<dl class=\"facts\">\n";
  const auto add = [&](const std::string& name, const std::string& value,
                       const std::string& small) {
    out += fmt::format("<div><dt>{}</dt><dd>{} <small>{}</small></dd></div>\n", escaped(name),
                       escaped(value), escaped(small));
  };
  const ScoreInfo& score = contents.main_score();
  const std::vector<double> values = contents.values_of(score.name);
  const MeanStd moments = mean_std(values);
  add(fmt::format("{} {}", contents.part(), score_name(score.name)),
      score_words(score, moments.mean),
      values.size() == 1 ? "" : "± " + score_words(score, moments.std));
  if (contents.predictions->baseline)
    add(contents.runs.labels == LabelKind::kValues ? "training mean alone" : "largest class alone",
        score_words(score, *contents.predictions->baseline), "");
  double seconds = 0.0;
  for (const RunRecord& run : contents.finished)
    seconds += run.seconds / static_cast<double>(contents.finished.size());
  add(contents.finished.size() == 1 ? "training time" : "training time per run",
      number_text(seconds), "s");
  add(contents.predictions->molecules ? "molecules predicted" : "nodes predicted",
      count_text(contents.predictions->rows), "");
  return out + "</dl>\n";
}

std::string verdict_section(const RunContents& contents) {
  std::vector<std::string> lines =
      contents.runs.fits.size() == 1 ? contents.runs.shown().verdict : in_words(contents.finished);
  add_rankings(contents.finished, lines);
  const std::string more = advice(contents);
  const std::string out = lines.empty() || contents.finished.empty()
                              ? fmt::format("<p>{}</p>\n", no_verdict(contents))
                              : list(lines);
  return out + (more.empty() ? "" : folded("How to find out whether the graphs help", more));
}

}  // namespace emgnn
