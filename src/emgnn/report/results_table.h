// SPDX-License-Identifier: Apache-2.0
// What a person reads after training.
#pragma once

#include <string>
#include <vector>

#include <emgnn/run/request.h>
#include <emgnn/run/results.h>

namespace emgnn {

// The scores of each run, their mean ± std, the learned distribution with what it says, and
// whether its sampling converged.
std::string results_table(const Results& results);

// The scores of each part of the data.
std::string evaluation_table(const Evaluation& evaluation);

// Every key with what it accepts, its value, where it comes from and its help.
std::string config_help(const std::vector<ConfigEntry>& config);

// A score as tables show it: shares in percent.
std::string score_text(const ScoreInfo& info, double value);

}  // namespace emgnn
