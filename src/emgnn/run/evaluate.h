// SPDX-License-Identifier: Apache-2.0
// Scores of predictions, and of a stored model on labelled data.
#pragma once

#include <memory>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/task.h>
#include <emgnn/run/request.h>

namespace emgnn {

// The learner's own task, or that of the labels.
std::shared_ptr<const Task> task_of(const Learner& learner, const Data& data);

// On the run's own data each part of its split; on other data all rows that have a label.
Evaluation evaluate(const PredictRequest& request);

}  // namespace emgnn
