// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/output.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <emgnn/base/error.h>
#include <emgnn/report/mean_std.h>
#include <emgnn/report/text_chart.h>

namespace emgnn::cli {

namespace {

// The columns that table and header share: a score is "0.9312 ± 0.0845" at its widest.
constexpr int kScoreWidth = 17;

// Shares of 1 in percent, values in their own unit.
std::string score_text(Task task, double score) {
  return task == Task::kClassification ? fmt::format("{:.2f}", 100.0 * score)
                                       : fmt::format("{:.4f}", score);
}

// The worst of the last rounds of all runs, when they were sampled.
std::string sampling_verdict(const std::vector<RunRecord>& runs) {
  std::optional<McmcSummary> worst;
  for (const RunRecord& run : runs) {
    if (run.rounds.empty() || !run.rounds.back().mcmc) continue;
    worst = worse(worst.value_or(*run.rounds.back().mcmc), *run.rounds.back().mcmc);
  }
  if (!worst) return "";
  const std::string of = runs.size() > 1 ? fmt::format(" (worst of {} runs)", runs.size()) : "";
  return fmt::format("sampled{}: {}\n", of, in_words(*worst));
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw Error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

std::string results_table(const Results& results) {
  const Task task = results.task();
  const std::span<const ScoreName> scores = score_names(task);
  std::string out = fmt::format("{} on {}, test scores{}\n\n{:>6}", results.method, results.dataset,
                                task == Task::kClassification ? " in %" : "", "seed");
  for (const ScoreName& score : scores) out += fmt::format("{:>{}}", score.name, kScoreWidth);
  out += fmt::format("{:>9}{:>10}\n", "rounds", "seconds");
  for (const RunRecord& run : results.runs) {
    out += fmt::format("{:>6}", run.seed);
    for (const ScoreName& score : scores) {
      out += fmt::format("{:>{}}", score_text(task, run.test.*score.value), kScoreWidth);
    }
    out += fmt::format("{:>9}{:>10.2f}\n", run.em_iterations, run.seconds);
  }
  if (results.runs.size() > 1) {
    out += fmt::format("{:>6}", "mean");
    for (const ScoreName& score : scores) {
      const MeanStd moments = mean_std(test_scores(results.runs, score));
      out += fmt::format("{:>{}}",
                         score_text(task, moments.mean) + " ± " + score_text(task, moments.std),
                         kScoreWidth);
    }
    out += "\n";
  }
  const std::string chart = posterior_chart(results.lambda_names, mean_posterior(results.runs));
  if (!chart.empty()) out += "\nlearned distribution\n" + chart;
  const std::string words = in_words(importance_of(results));
  if (!words.empty()) out += "\n" + words + "\n";
  return out + sampling_verdict(results.runs);
}

std::string config_help(const RunConfig& config) {
  std::string out = "Keys of --set key=value and of --config files, with their values:\n";
  std::string section;
  for (const ConfigEntry& entry : entries(config)) {
    const std::string of = entry.key.substr(0, entry.key.find('.'));
    if (of != std::exchange(section, of)) out += "\n";
    const std::string value = entry.value.empty() ? "\"\"" : entry.value;
    out += fmt::format("  {} = {}\n      {}\n      {}\n", entry.key, value, entry.help,
                       entry.accepted);
  }
  return out;
}

void check_not_read(const std::string& out, const std::string& input) {
  std::error_code error;  // what is not there is not overwritten
  if (std::filesystem::equivalent(out, input, error) && !error)
    throw UsageError(fmt::format("{}: is read, and would be overwritten", out));
}

std::string shell_quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("-_./=:,+@%", c) != nullptr;
  });
  if (plain) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace emgnn::cli
