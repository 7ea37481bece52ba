// SPDX-License-Identifier: Apache-2.0
// Scores of predictions, and of a stored model on labelled data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/task.h>
#include <emgnn/run/request.h>

namespace emgnn {

// The learner's own task, or that of the labels.
std::shared_ptr<const Task> task_of(const Learner& learner, const Data& data);

// The one class, or "LABEL: 1" or "LABEL: 0" of a single label, that is predicted for all `rows`;
// none: answers differ, or are values or several labels.
std::optional<std::string> one_answer(const Labels& labels, const Prediction& prediction,
                                      const std::vector<int32_t>& rows);

// On the run's own data each part of its split; on other data all rows that have a label.
Evaluation evaluate(const PredictRequest& request);

}  // namespace emgnn
