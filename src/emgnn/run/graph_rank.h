// SPDX-License-Identifier: Apache-2.0
// Whether the graphs that training prefers are those that predict the test rows best.
#pragma once

#include <emgnn/data/data.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/task.h>
#include <emgnn/run/results.h>

namespace emgnn {

// It reads the labels of the test rows: for reports, never for choosing anything.
GraphRank rank_graphs(Learner& learner, const Data& data, const Task& task, const Poll& poll);

}  // namespace emgnn
