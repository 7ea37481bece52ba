// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/results_table.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <emgnn/em/mcmc_summary.h>
#include <emgnn/learn/mean_std.h>
#include <emgnn/report/text_chart.h>
#include <emgnn/run/verdict.h>

namespace emgnn {

namespace {

// A score is "0.9312 ± 0.0845" at its widest.
constexpr int kScoreWidth = 17;
// More would not fit a line; all of them are in the JSON.
constexpr size_t kShownScores = 3;

std::vector<ScoreInfo> shown(const std::vector<ScoreInfo>& scores) {
  return {scores.begin(),
          scores.begin() + static_cast<ptrdiff_t>(std::min(kShownScores, scores.size()))};
}

// Of the posterior of each run, or of the last round of each member of an ensemble, when it was sampled.
std::vector<McmcSummary> last_samplings(const std::vector<RunRecord>& runs) {
  std::vector<McmcSummary> out;
  for (const RunRecord& run : runs) {
    const std::vector<RoundRecord>& rounds = run.fit.rounds;
    if (run.fit.sampled && !rounds.empty() && !rounds.front().member) {  // of the one that predicts
      out.push_back(run.fit.sampled->worst);
      continue;
    }
    for (size_t i = 0; i < rounds.size(); ++i) {
      const bool last = i + 1 == rounds.size() || rounds[i + 1].member != rounds[i].member;
      if (last && rounds[i].mcmc) out.push_back(*rounds[i].mcmc);
    }
  }
  return out;
}

std::string sampling_verdict(const std::vector<RunRecord>& runs) {
  const std::vector<McmcSummary> each = last_samplings(runs);
  if (each.empty()) return "";
  McmcSummary worst = each.front();
  for (const McmcSummary& one : each) worst = worse(worst, one);
  const bool ensembles = each.size() > runs.size();
  const std::string of = each.size() > 1 ? fmt::format(" (worst of {} {})", each.size(),
                                                       ensembles ? "members" : "runs")
                                         : "";
  return fmt::format("sampled{}: {}\n", of, in_words(worst));
}

// Of the one graph that was learned, the mean over the runs.
std::string learned_shares(const std::vector<RunRecord>& runs) {
  std::vector<std::string> parts;
  for (size_t v = 0; v < runs.front().fit.shares.size(); ++v) {
    std::vector<double> each;
    for (const RunRecord& run : runs) each.push_back(run.fit.shares[v].value);
    parts.push_back(fmt::format("{} {:.3f}", runs.front().fit.shares[v].name, mean_std(each).mean));
  }
  return parts.empty() ? "" : fmt::format("\nlearned shares: {}\n", fmt::join(parts, ", "));
}

std::string rank_line(const std::vector<RunRecord>& runs) {
  std::vector<double> each;
  for (const RunRecord& run : runs)
    if (run.graph_rank && run.graph_rank->correlation) each.push_back(*run.graph_rank->correlation);
  if (each.empty()) return "";
  return fmt::format(
      "\nthe graphs that training prefers and those that predict the test best: rank correlation "
      "{:.2f} over {} graphs\n",
      mean_std(each).mean, runs.front().graph_rank->graphs);
}

std::string title(const Results& results, const std::vector<ScoreInfo>& scores) {
  const bool percent =
      std::all_of(scores.begin(), scores.end(), [](const ScoreInfo& s) { return s.percent; });
  return fmt::format("{} on {}, {} scores{}\n\n", results.method, results.dataset,
                     results.test_hidden() ? "validation" : "test", percent ? " in %" : "");
}

}  // namespace

std::string score_text(const ScoreInfo& info, double value) {
  return info.percent ? fmt::format("{:.2f}", 100.0 * value) : fmt::format("{:.4f}", value);
}

std::string results_table(const Results& results) {
  const std::vector<ScoreInfo> scores = shown(results.scores);
  std::string out = title(results, scores) + fmt::format("{:>6}", "seed");
  for (const ScoreInfo& score : scores) out += fmt::format("{:>{}}", score.name, kScoreWidth);
  out += fmt::format("{:>9}{:>10}\n", "epochs", "seconds");
  for (const RunRecord& run : results.runs) {
    const Scores& values = run.test ? *run.test : run.validation.scores;
    out += fmt::format("{:>6}", run.seed);
    for (const ScoreInfo& score : scores)
      out += fmt::format("{:>{}}", score_text(score, values.at(score.name)), kScoreWidth);
    out += fmt::format("{:>9}{:>10.2f}\n", run.fit.epochs, run.seconds);
  }
  if (results.runs.size() > 1) {
    out += fmt::format("{:>6}", "mean");
    for (const ScoreInfo& score : scores) {
      const MeanStd moments = mean_std(values_of(results, score.name));
      out += fmt::format("{:>{}}",
                         score_text(score, moments.mean) + " ± " + score_text(score, moments.std),
                         kScoreWidth);
    }
    out += "\n";
  }
  const std::optional<GraphDistribution> graphs = mean_graphs(results.runs);
  if (graphs) {
    const std::string chart = posterior_chart(*graphs);
    if (!chart.empty()) out += "\nlearned distribution\n" + chart;
  }
  const std::vector<std::string> words = in_words(results.runs);
  if (!words.empty()) out += fmt::format("\n{}\n", fmt::join(words, "\n"));
  return out + learned_shares(results.runs) + rank_line(results.runs) +
         sampling_verdict(results.runs);
}

std::string config_help(const std::vector<ConfigEntry>& config) {
  std::string out = "Keys of --set key=value and of --config files, with their values:\n";
  std::string section;
  for (const ConfigEntry& entry : config) {
    const std::string of = entry.key.substr(0, entry.key.find('.'));
    if (of != std::exchange(section, of)) out += "\n";
    const std::string value = entry.value.empty() ? "\"\"" : entry.value;
    out += fmt::format("  {} = {}  ({})\n      {}\n      {}\n", entry.key, value, entry.layer,
                       entry.help, entry.accepted);
  }
  return out;
}

}  // namespace emgnn
