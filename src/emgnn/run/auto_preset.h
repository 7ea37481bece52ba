// SPDX-License-Identifier: Apache-2.0
// preset = auto: looks at the data, trains a few presets that may suit it for a short while, and takes
// the one with the best validation score. Test rows are not looked at. The choice depends on the data,
// its split and the other settings, not on the seed of the runs, nor on the machine.
#pragma once

#include <string>
#include <vector>

#include <emgnn/data/graph_facts.h>
#include <emgnn/run/request.h>

namespace emgnn {

// What the comparison may cost, of the cheapest candidate's run.
inline constexpr double kTrialShare = 0.25;
inline constexpr const char* kPresetFile = "preset.json";

// Presets that may suit such data, the likeliest first.
std::vector<std::string> candidate_presets(const GraphFacts& facts);

// The request with the preset that was chosen, and a record of how; itself where it does not ask for
// one. A record that the folder of the request holds is taken if it is of the same data and settings.
// Interrupted when the observer asks to stop; the comparison then starts again next time.
RunRequest with_preset(const RunRequest& request, RunsObserver& observer);

}  // namespace emgnn
