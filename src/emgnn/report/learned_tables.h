// SPDX-License-Identifier: Apache-2.0
// Tables of what training found out about the graphs, instead of scores: the distribution p_T, and the
// check ϱ of the approximation behind the M-step, round by round.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include <emgnn/report/charts.h>
#include <emgnn/report/table_cells.h>

namespace emgnn {

// Of each coordinate of λ: its mean over p_T, mean ± std over the runs, its central 90 % and its prior
// mean; and how far p_T is from the prior.
Table distribution_summary(const std::vector<TrainedCell>& cells);
// p_T and the prior of each value of each coordinate, the mean over the runs.
Table distribution_values(const std::vector<TrainedCell>& cells);
std::vector<Chart> distribution_table_charts(const std::vector<TrainedCell>& cells);
nlohmann::ordered_json distribution_json(const std::vector<TrainedCell>& cells);

// ϱ_t of one cell in one round, over the runs that came so far.
struct RoundRatio {
  int64_t round = 0;
  double eta = 0.0;
  std::vector<double> ratios;
};
std::vector<RoundRatio> ratios_of(const Results& results);

Table normalizer_matrix(const std::vector<TrainedCell>& cells);  // a line per round
Table normalizer_values(const std::vector<TrainedCell>& cells);  // a line per cell and round
std::vector<Chart> normalizer_charts(const std::vector<TrainedCell>& cells);
nlohmann::ordered_json normalizer_json(const std::vector<TrainedCell>& cells);

}  // namespace emgnn
