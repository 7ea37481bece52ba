// SPDX-License-Identifier: Apache-2.0
// Trains one method on one dataset with several seeds, keeps what a run folder holds, and resumes
// where an earlier call was interrupted.
#pragma once

#include <emgnn/run/request.h>
#include <emgnn/run/results.h>

namespace emgnn {

// With one run the folder holds its files; with several it holds a folder seed-S for each, beside
// config.toml, manifest.json and results.json for all. Finished runs are read back, an interrupted
// one resumes from its checkpoint. UsageError when the folder is of another dataset, method, seed
// or configuration, naming the difference, or when another process works in it. Throws Interrupted
// when the observer asks to stop; everything done so far is in the folder then.
Results fit_runs(const RunRequest& request, RunsObserver& observer);

}  // namespace emgnn
