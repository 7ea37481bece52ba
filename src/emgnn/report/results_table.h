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

// The scores of each part of the data with their intervals, then those of each class and the
// reliability of the last part.
std::string evaluation_table(const Evaluation& evaluation);
const char* group_word(LabelKind kind);  // what an Evaluation::Group is: class, label or target

// Every key with what it accepts, its value, where it comes from and its help.
std::string config_help(const std::vector<ConfigEntry>& config);

// A score as tables show it: shares in percent.
std::string score_text(const ScoreInfo& info, double value);

}  // namespace emgnn
