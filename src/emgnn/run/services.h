// SPDX-License-Identifier: Apache-2.0
// What the program asks of the library that holds LibTorch. The program itself is linked without it
// and opens it when a command needs it, so that help, mistakes and data answer at once.
#pragma once

#include <string>
#include <vector>

#include <emgnn/run/request.h>
#include <emgnn/run/results.h>

namespace emgnn {

struct Services {
  Results (*fit)(const RunRequest& request, RunsObserver& observer);
  RunPlan (*plan)(const RunRequest& request, RunsObserver& observer);
  PredictedTable (*predict)(const PredictRequest& request);
  Evaluation (*evaluate)(const PredictRequest& request);
  // The configuration with where each value comes from, before the data is known.
  std::vector<ConfigEntry> (*resolve)(const ConfigRequest& request);
};

// Opens the library at the first call. Error in one line when it cannot be loaded.
const Services& services();

}  // namespace emgnn
