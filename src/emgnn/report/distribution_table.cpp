// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/report/distribution_charts.h>
#include <emgnn/report/learned_tables.h>
#include <emgnn/report/plain_table.h>
#include <emgnn/run/marginal.h>
#include <emgnn/run/verdict.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

GraphDistribution graphs_of(const TrainedCell& cell) {
  std::optional<GraphDistribution> out = mean_graphs(cell.results.runs);
  EMGNN_DCHECK(out && !out->names.empty());  // such tables have rows with a distribution
  return *std::move(out);
}

// E_{λ~p_T}[λ_c] of each run.
MeanStd mean_over_runs(const TrainedCell& cell, size_t coordinate) {
  std::vector<double> each;
  for (const RunRecord& run : cell.results.runs)
    each.push_back(summarise(marginal(run.graphs.value().points, coordinate)).mean);
  return mean_std(each);
}

std::string three(double value) { return fmt::format("{:.3f}", value); }

}  // namespace

Table distribution_summary(const std::vector<TrainedCell>& cells) {
  Table out{.caption = {},
            .columns = {"row", "column", "λ", "mean ± std", "5 %", "95 %", "prior mean",
                        "nats from the prior"},
            .rows = {}};
  for (const TrainedCell& trained : cells) {
    const GraphDistribution graphs = graphs_of(trained);
    const Verdict verdict = verdict_of(graphs);
    for (size_t c = 0; c < graphs.names.size(); ++c) {
      const MeanStd moments = mean_over_runs(trained, c);
      const CoordinateSummary& learned = verdict.coordinates[c];
      out.rows.push_back({cell(trained.row->name),
                          cell(trained.column->name),
                          cell(graphs.names[c]),
                          {fmt::format("{:.3f} ± {:.3f}", moments.mean, moments.std), true},
                          {three(learned.low), true},
                          {three(learned.high), true},
                          {three(summarise(graphs.prior[c]).mean), true},
                          {three(verdict.nats), true}});
    }
  }
  return out;
}

Table distribution_values(const std::vector<TrainedCell>& cells) {
  Table out{.caption = {},
            .columns = {"row", "column", "lambda", "value", "p", "prior", "runs"},
            .rows = {}};
  for (const TrainedCell& trained : cells) {
    const GraphDistribution graphs = graphs_of(trained);
    for (size_t c = 0; c < graphs.names.size(); ++c)
      for (const Bar& bar : marginal_bars(graphs, c))
        out.rows.push_back({cell(trained.row->name), cell(trained.column->name),
                            cell(graphs.names[c]), exact_cell(bar.value), exact_cell(bar.p),
                            exact_cell(bar.prior),
                            cell(std::to_string(trained.results.runs.size()))});
  }
  return out;
}

std::vector<Chart> distribution_table_charts(const std::vector<TrainedCell>& cells) {
  std::vector<Chart> out;
  for (const TrainedCell& trained : cells) {
    const GraphDistribution graphs = graphs_of(trained);
    if (graphs.points.size() < 2) continue;
    Chart chart = distribution_charts(graphs).front();
    chart.caption =
        fmt::format("{}, {}: {}", trained.column->name, trained.row->name, chart.caption);
    out.push_back(std::move(chart));
  }
  return out;
}

Json distribution_json(const std::vector<TrainedCell>& cells) {
  Json out = Json::array();
  for (const TrainedCell& trained : cells) {
    const GraphDistribution graphs = graphs_of(trained);
    const Verdict verdict = verdict_of(graphs);
    Json coordinates = Json::array(), posterior = Json::array();
    for (size_t c = 0; c < graphs.names.size(); ++c) {
      const MeanStd moments = mean_over_runs(trained, c);
      coordinates.push_back({{"name", graphs.names[c]},
                             {"mean", moments.mean},
                             {"std", moments.std},
                             {"low", verdict.coordinates[c].low},
                             {"high", verdict.coordinates[c].high},
                             {"prior_mean", summarise(graphs.prior[c]).mean}});
    }
    for (const WeightedPoint& point : graphs.points)
      posterior.push_back({{"lambda", point.lambda}, {"p", point.p}});
    out.push_back({{"row", trained.row->name},
                   {"column", trained.column->name},
                   {"family", graphs.family},
                   {"coordinates", coordinates},
                   {"nats", verdict.nats},
                   {"posterior", posterior}});
  }
  return out;
}

}  // namespace emgnn
