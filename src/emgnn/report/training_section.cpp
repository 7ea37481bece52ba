// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <emgnn/learn/score_info.h>
#include <emgnn/report/charts.h>
#include <emgnn/report/sections.h>

namespace emgnn {

namespace {

constexpr size_t kMostThin = 9, kMostCoordinates = 8;

// One line for the run that is shown, thin ones for the others.
template <class Value>
void add_curves(const StoredRuns& runs, const std::string& name, int style, const Value& value,
                std::vector<Series>& out) {
  size_t thin = 0;
  for (const StoredFit& fit : runs.fits) {
    const bool other = &fit != &runs.shown();
    if (other && thin++ >= kMostThin) continue;
    Series series{.name = name, .style = style, .thin = other, .x = {}, .y = {}};
    for (const EpochRecord& epoch : fit.log.epochs) {
      const double y = value(epoch);
      if (std::isnan(y)) continue;
      series.x.push_back(static_cast<double>(epoch.epoch));
      series.y.push_back(y);
      series.part.push_back(epoch.member.value_or(0));
    }
    if (!series.x.empty()) out.push_back(std::move(series));
  }
}

std::vector<Mark> rounds_of(const MetricsLog& log) {
  std::vector<Mark> out;
  for (const LoggedRound& round : log.rounds)
    out.push_back({static_cast<double>(round.epoch), fmt::format("round {}", round.record.round)});
  return out;
}

bool has_curve(const LinePlot& plot) {
  return std::any_of(plot.series.begin(), plot.series.end(),
                     [](const Series& series) { return !series.thin; });
}

std::vector<Chart> epoch_charts(const RunContents& contents) {
  const StoredRuns& runs = contents.runs;
  const MetricsLog& log = runs.shown().log;
  LinePlot loss{.caption = "Loss",
                .x_label = "epoch",
                .y_label = "loss",
                .series = {},
                .marks = rounds_of(log),
                .mark_name = "EM rounds",
                .may_be_log = true};
  add_curves(
      runs, "training", 2, [](const EpochRecord& e) { return e.train_loss; }, loss.series);
  add_curves(
      runs, "validation", 1,
      [](const EpochRecord& e) { return e.validation ? e.validation->loss : NAN; }, loss.series);
  std::vector<Chart> out;
  if (has_curve(loss)) out.push_back(line_chart(loss));
  const auto infos = score_info(runs.labels);
  const auto info = std::find_if(infos.begin(), infos.end(),
                                 [&](const ScoreInfo& s) { return s.name == log.score; });
  const bool percent = info != infos.end() && info->percent;
  const std::string name = score_name(log.score);
  LinePlot score{.caption = "Validation " + name,
                 .x_label = "epoch",
                 .y_label = name + (percent ? " in %" : ""),
                 .series = {},
                 .marks = rounds_of(log),
                 .mark_name = "EM rounds",
                 .percent = percent};
  add_curves(
      runs, "validation " + name, 1,
      [&](const EpochRecord& e) {
        const double* value = e.validation ? e.validation->scores.find(log.score) : nullptr;
        return value == nullptr ? NAN : *value;
      },
      score.series);
  if (has_curve(score)) out.push_back(line_chart(score));
  return out;
}

// The E-steps one after the other; those of an ensemble's members follow each other.
template <class Value>
Series round_series(const MetricsLog& log, const std::string& name, int style, const Value& value) {
  Series out{.name = name, .style = style, .x = {}, .y = {}};
  for (size_t i = 0; i < log.rounds.size(); ++i) {
    const double y = value(log.rounds[i].record);
    if (std::isnan(y)) continue;
    out.x.push_back(static_cast<double>(i + 1));
    out.y.push_back(y);
    out.part.push_back(log.rounds[i].record.member.value_or(0));
  }
  return out;
}

class RoundCharts {
 public:
  explicit RoundCharts(const MetricsLog& log) : log_(log) {}

  template <class Value>
  void add(const std::string& caption, const std::string& label, const Value& value,
           bool may_be_log = false) {
    LinePlot plot{.caption = caption,
                  .x_label = "EM round",
                  .y_label = label,
                  .series = {round_series(log_, label, 1, value)},
                  .may_be_log = may_be_log};
    if (!plot.series.front().x.empty()) out_.push_back(line_chart(plot));
  }

  void add_means(const std::vector<std::string>& names) {
    LinePlot plot{.caption = "Mean of the distribution",
                  .x_label = "EM round",
                  .y_label = "mean of λ",
                  .series = {}};
    for (size_t c = 0; c < std::min(names.size(), kMostCoordinates); ++c)
      plot.series.push_back(
          round_series(log_, names[c], static_cast<int>(c) + 1, [&](const RoundRecord& round) {
            return c < round.mean_lambda.size() ? round.mean_lambda[c] : NAN;
          }));
    if (has_curve(plot)) out_.push_back(line_chart(plot));
  }

  const std::vector<Chart>& charts() const { return out_; }

 private:
  const MetricsLog& log_;
  std::vector<Chart> out_;
};

std::vector<std::string> coordinate_names(const RunContents& contents) {
  const std::optional<GraphDistribution> graphs = mean_graphs(contents.finished);
  if (graphs) return graphs->names;
  std::vector<std::string> out;
  const auto& rounds = contents.runs.shown().log.rounds;
  for (size_t c = 0; !rounds.empty() && c < rounds.front().record.mean_lambda.size(); ++c)
    out.push_back(fmt::format("coordinate {}", c + 1));
  return out;
}

std::vector<Chart> round_charts(const RunContents& contents) {
  RoundCharts charts(contents.runs.shown().log);
  charts.add_means(coordinate_names(contents));
  charts.add("Expected loss under the distribution", "E[L(λ)]",
             [](const RoundRecord& r) { return r.mean_loss; });
  charts.add("ϱ, how well log C is approximated (near 0 is good)", "ϱ",
             [](const RoundRecord& r) { return r.normalizer_ratio; });
  charts.add("Accepted proposals of the sampler", "share",
             [](const RoundRecord& r) { return r.mcmc ? r.mcmc->acceptance : NAN; });
  charts.add("Effective draws, bulk (more than 400 count as enough)", "draws",
             [](const RoundRecord& r) { return r.mcmc ? r.mcmc->ess : NAN; });
  charts.add("Effective draws, tails (more than 400 count as enough)", "draws",
             [](const RoundRecord& r) { return r.mcmc ? r.mcmc->ess_tail : NAN; });
  charts.add("Rank-normalised split R-hat (below 1.01 counts as converged)", "R-hat",
             [](const RoundRecord& r) { return r.mcmc ? r.mcmc->rhat : NAN; });
  charts.add("Monte Carlo standard error of the mean of λ", "error",
             [](const RoundRecord& r) { return r.mcmc ? r.mcmc->mcse : NAN; });
  return charts.charts();
}

// As Stan's users know it.
std::string sampled_table(const RunContents& contents) {
  const std::optional<RunRecord>& record = contents.runs.shown().record;
  if (!record || !record->fit.sampled) return "";
  Table table{
      .caption = "Draws of the distribution that predicts",
      .columns = {"coordinate", "mean", "sd", "MCSE of the mean", "R-hat", "ESS bulk", "ESS tail"},
      .rows = {}};
  for (const CoordinateDiagnostics& c : record->fit.sampled->coordinates)
    table.rows.push_back({cell(c.name),
                          cell(c.mean),
                          cell(c.sd),
                          cell(c.mcse),
                          {fmt::format("{:.3f}", c.rhat), true},
                          {fmt::format("{:.0f}", c.ess), true},
                          {fmt::format("{:.0f}", c.ess_tail), true}});
  const std::string warned = sampling_warning(contents.finished);
  const std::string words = warned.empty() ? "" : fmt::format("<p>{}.</p>\n", escaped(warned));
  return "<h4>Sampling</h4>\n" + words + to_html(table);
}

}  // namespace

std::string training_section(const RunContents& contents) {
  const StoredFit& shown = contents.runs.shown();
  if (shown.log.epochs.empty())
    return shown.record ? "<p>This method is not trained in epochs.</p>\n"
                        : "<p>No epoch is finished yet.</p>\n";
  std::string out;
  if (contents.runs.fits.size() > 1)
    out += fmt::format(
        "<p>The thick lines are those of seed {}, the thin ones of the others.</p>\n", shown.seed);
  if (shown.log.epochs.back().member.value_or(0) > 0)
    out += "<p>The members of the ensemble were trained one after the other.</p>\n";
  out += to_html(epoch_charts(contents));
  const std::vector<Chart> rounds = round_charts(contents);
  if (!rounds.empty()) out += "<h4>Rounds</h4>\n" + to_html(rounds);
  return out + sampled_table(contents);
}

}  // namespace emgnn
