// SPDX-License-Identifier: Apache-2.0
// What a run would take, found by its beginning: a few epochs, one E-step and the prediction are run
// and measured; nothing is kept.
#pragma once

#include <emgnn/run/request.h>

namespace emgnn {

// Interrupted when the observer asks to stop. Test labels are not read.
RunPlan plan_run(const RunRequest& request, RunsObserver& observer);

// The most memory that the process had so far, in MB.
double peak_rss_mb();

}  // namespace emgnn
