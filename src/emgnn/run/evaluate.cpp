// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/evaluate.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/run/predict.h>

namespace emgnn {

std::shared_ptr<const Task> task_of(const Learner& learner, const Data& data) {
  if (std::shared_ptr<const Task> own = learner.task()) return own;
  return make_task(data.labels(), {}, data.split().train);
}

std::optional<std::string> one_answer(const Labels& labels, const Prediction& prediction,
                                      const std::vector<int32_t>& rows) {
  const bool classes = labels.kind == LabelKind::kClasses;
  if (!classes && (labels.kind != LabelKind::kLabels || labels.num_names() != 1)) return {};
  const std::vector<double> value = at_rows(prediction, rows).value;
  const auto width = static_cast<ptrdiff_t>(prediction.width);
  const auto answer = [&](size_t i) -> ptrdiff_t {
    const auto first = value.begin() + static_cast<ptrdiff_t>(i) * width;
    return classes ? std::max_element(first, first + width) - first : (*first > 0.5 ? 1 : 0);
  };
  for (size_t i = 1; i < rows.size(); ++i)
    if (answer(i) != answer(0)) return {};
  if (rows.size() < 2) return {};
  return classes ? labels.names[static_cast<size_t>(answer(0))]
                 : fmt::format("{}: {}", labels.names.front(), answer(0));
}

Evaluation evaluate(const PredictRequest& request) {
  const Context::Scope scope(request.context);
  const Predicted predicted = predict_with(request, true);
  const std::shared_ptr<const Task> task = task_of(*predicted.learner, *predicted.data);
  Evaluation out{.dataset = predicted.dataset,
                 .method = predicted.method,
                 .info = {task->scores().begin(), task->scores().end()},
                 .parts = {},
                 .notes = predicted.notes};
  const auto add = [&](const char* name, const std::vector<int32_t>& rows) {
    out.parts.push_back({name, static_cast<int64_t>(rows.size()),
                         task->score(at_rows(predicted.prediction, rows), Ranks::kCompute)});
  };
  if (predicted.own_data) {
    const Split& split = predicted.data->split();
    add("train", split.train);
    add("validation", split.validation);
    add("test", split.test);
    return out;
  }
  std::vector<int32_t> known;
  for (int32_t row : predicted.prediction.rows)
    if (predicted.data->labels().known(row)) known.push_back(row);
  if (known.empty())
    throw UsageError(predicted.dataset + ": no row has a label that the model knows");
  add("all", known);
  return out;
}

}  // namespace emgnn
