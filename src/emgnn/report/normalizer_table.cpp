// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include <emgnn/report/learned_tables.h>
#include <emgnn/report/plain_table.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kStyles = 9;

std::string name_of(const TrainedCell& cell, bool with_row) {
  return with_row ? fmt::format("{}, {}", cell.column->name, cell.row->name) : cell.column->name;
}

bool has_several_rows(const std::vector<TrainedCell>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const TrainedCell& cell) { return cell.row != cells.front().row; });
}

// One run has no deviation.
std::string moments_text(const RoundRatio& round) {
  const MeanStd moments = mean_std(round.ratios);
  if (round.ratios.size() == 1) return fmt::format("{:.2e}", moments.mean);
  return fmt::format("{:.2e} ± {:.0e}", moments.mean, moments.std);
}

}  // namespace

std::vector<RoundRatio> ratios_of(const Results& results) {
  std::map<int64_t, RoundRatio> rounds;  // by their number
  for (const RunRecord& run : results.runs) {
    for (const RoundRecord& record : run.fit.rounds) {
      RoundRatio& round = rounds[record.round];
      round.round = record.round;
      round.eta = record.eta;
      round.ratios.push_back(record.normalizer_ratio);
    }
  }
  std::vector<RoundRatio> out;
  for (auto& [number, round] : rounds) out.push_back(std::move(round));
  return out;
}

Table normalizer_matrix(const std::vector<TrainedCell>& cells) {
  Table out{.caption = {}, .columns = {"round"}, .rows = {}};
  std::vector<std::map<int64_t, std::string>> columns;
  int64_t last = 0;
  for (const TrainedCell& trained : cells) {
    out.columns.push_back(name_of(trained, has_several_rows(cells)));
    std::map<int64_t, std::string>& column = columns.emplace_back();
    for (const RoundRatio& round : ratios_of(trained.results)) {
      column[round.round] = moments_text(round);
      last = std::max(last, round.round);
    }
  }
  for (int64_t t = 1; t <= last; ++t) {
    std::vector<Cell>& row = out.rows.emplace_back();
    row.push_back({std::to_string(t), true});
    for (const auto& column : columns) {
      const auto found = column.find(t);
      row.push_back({found == column.end() ? "–" : found->second, true});
    }
  }
  return out;
}

Table normalizer_values(const std::vector<TrainedCell>& cells) {
  Table out{.caption = {},
            .columns = {"row", "column", "round", "eta", "mean", "std", "runs"},
            .rows = {}};
  for (const TrainedCell& trained : cells) {
    for (const RoundRatio& round : ratios_of(trained.results)) {
      const MeanStd moments = mean_std(round.ratios);
      out.rows.push_back({cell(trained.row->name), cell(trained.column->name),
                          cell(std::to_string(round.round)), exact_cell(round.eta),
                          exact_cell(moments.mean), exact_cell(moments.std),
                          cell(std::to_string(round.ratios.size()))});
    }
  }
  return out;
}

std::vector<Chart> normalizer_charts(const std::vector<TrainedCell>& cells) {
  LinePlot plot{.caption = "ϱ over the rounds of EM, mean ± std",
                .x_label = "round",
                .y_label = "ϱ",
                .series = {}};
  for (const TrainedCell& trained : cells) {
    const auto number = static_cast<int>(plot.series.size()) + 1;
    Series series{.name = name_of(trained, has_several_rows(cells)),
                  .style = number % kStyles,
                  .x = {},
                  .y = {}};
    for (const RoundRatio& round : ratios_of(trained.results)) {
      const MeanStd moments = mean_std(round.ratios);
      series.x.push_back(static_cast<double>(round.round));
      series.y.push_back(moments.mean);
      series.spread.push_back(moments.std);
    }
    plot.series.push_back(std::move(series));
  }
  return {line_chart(plot)};
}

Json normalizer_json(const std::vector<TrainedCell>& cells) {
  Json out = Json::array();
  for (const TrainedCell& trained : cells) {
    for (const RoundRatio& round : ratios_of(trained.results)) {
      const MeanStd moments = mean_std(round.ratios);
      out.push_back({{"row", trained.row->name},
                     {"column", trained.column->name},
                     {"round", round.round},
                     {"eta", round.eta},
                     {"mean", moments.mean},
                     {"std", moments.std},
                     {"runs", round.ratios.size()}});
    }
  }
  return out;
}

}  // namespace emgnn
