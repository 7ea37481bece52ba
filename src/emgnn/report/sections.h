// SPDX-License-Identifier: Apache-2.0
// The parts of a report, as HTML; each is a pure function of what was read.
#pragma once

#include <string>
#include <vector>

#include <emgnn/report/run_contents.h>

namespace emgnn {

// "runs/em", as short as tells the folders of a report apart.
std::vector<std::string> short_names(const std::vector<RunContents>& all);

// How a score is called in a sentence, and its value there: "accuracy", "88.60 %".
std::string score_name(const std::string& name);
std::string score_words(const ScoreInfo& info, double value);
std::string moments_words(const ScoreInfo& info, const std::vector<double>& values);

// One sentence or two, as text: what came out, beside what the training labels alone would give.
std::string outcome_of(const RunContents& contents);

// The main numbers at a glance.
std::string facts_of(const RunContents& contents);
std::string scores_section(const RunContents& contents);
std::string verdict_section(const RunContents& contents);
std::string distribution_section(const RunContents& contents);
std::string training_section(const RunContents& contents);
std::string answers_section(const RunContents& contents);
// `id` keeps the choices of several runs apart.
std::string edges_section(const RunContents& contents, const std::string& id);
std::string settings_section(const RunContents& contents);

// Of at least two: scores side by side, and how far the first is ahead of each other one, by seed.
std::string comparison_section(const std::vector<RunContents>& all);
// As text: how far the first is ahead of the second by the main score.
std::string lead_of(const RunContents& first, const RunContents& second, const std::string& name);

}  // namespace emgnn
