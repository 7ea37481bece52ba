// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <emgnn/em/config.h>
#include <emgnn/report/results.h>

namespace emgnn::cli {

// Error when the text does not arrive in full (a full disk, a closed pipe).
void print(std::string_view text);

// The table of a person: the scores of each run, their mean ± std, the learned distribution
// with what it says about the edge types, and whether its sampling converged.
std::string results_table(const Results& results);

// UsageError when a file to be written is one that is read.
void check_not_read(const std::string& out, const std::string& input);

// Every key with what it accepts, its value and its help.
std::string config_help(const RunConfig& config);

// `text` as one word of a shell command.
std::string shell_quoted(const std::string& text);

}  // namespace emgnn::cli
