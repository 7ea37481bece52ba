// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/evaluate.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

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

namespace {

// Names of what a resample scores beside the task's scores; those have no slash.
constexpr const char* kSets = "sets";
std::string name_below(const std::string& of, const std::string& name) { return of + "/" + name; }

// The mean of what is known; NaN without any.
double mean_at(const std::vector<double>& values, std::span<const size_t> places) {
  double sum = 0.0, known = 0.0;
  for (size_t place : places) {
    if (std::isnan(values[place])) continue;
    sum += values[place];
    known += 1.0;
  }
  return sum / known;
}

// Scores parts of one prediction.
class Evaluator {
 public:
  Evaluator(const Predicted& predicted, const Task& task, const PredictRequest& request)
      : predicted_(predicted), task_(task), request_(request) {
    for (size_t i = 0; i < predicted.prediction.rows.size(); ++i)
      place_[predicted.prediction.rows[i]] = i;
  }

  void cover(const PredictedSets& sets) {
    coverage_ = coverage_of(sets, predicted_.prediction, predicted_.data->labels());
  }

  Evaluation::Part part(const std::string& name, const std::vector<int32_t>& rows) const {
    std::vector<size_t> places;
    for (int32_t row : rows) places.push_back(place_.at(row));
    const Prediction prediction = at_places(predicted_.prediction, places);
    Evaluation::Part out{.name = name,
                         .rows = static_cast<int64_t>(rows.size()),
                         .scores = task_.score(prediction, Ranks::kCompute),
                         .reliability = task_.reliability(prediction)};
    const std::vector<std::string>& names = predicted_.data->labels().names;
    const std::vector<GroupScores> groups = task_.group_scores(prediction);
    if (names.size() > 1) {
      for (size_t k = 0; k < groups.size(); ++k) out.groups.push_back({names[k], groups[k], {}});
    }
    if (coverage_) {
      out.coverage = Evaluation::Coverage{.covered = mean_at(coverage_->covered, places),
                                          .size = mean_at(coverage_->size, places)};
    }
    add_intervals(out, places);
    return out;
  }

 private:
  void add_intervals(Evaluation::Part& part, const std::vector<size_t>& places) const {
    if (request_.bootstrap.resamples == 0) return;
    if (request_.on_phase) request_.on_phase({"resampling the rows of " + part.name});
    const bool groups = !part.groups.empty();
    const std::vector<ScoreInterval> all =
        bootstrap(places.size(), request_.bootstrap, [&](std::span<const size_t> drawn) {
          std::vector<size_t> at;
          for (size_t i : drawn) at.push_back(places[i]);
          return resample(at, groups);
        });
    for (const ScoreInterval& interval : all) {
      const size_t slash = interval.name.find('/');
      if (slash == std::string::npos) {
        part.intervals.push_back(interval);
        continue;
      }
      const std::string of = interval.name.substr(0, slash);
      (of == kSets ? part.coverage->intervals : part.groups[std::stoul(of)].intervals)
          .push_back({interval.name.substr(slash + 1), interval.lower, interval.upper});
    }
  }

  std::vector<Score> resample(std::span<const size_t> places, bool groups) const {
    const Prediction prediction = at_places(predicted_.prediction, places);
    const PartScores part = task_.score(prediction, Ranks::kCompute);
    std::vector<Score> out(part.scores.all().begin(), part.scores.all().end());
    out.push_back({"loss", part.loss});
    if (groups) {
      const std::vector<GroupScores> each = task_.group_scores(prediction);
      for (size_t k = 0; k < each.size(); ++k)
        for (const Score& score : each[k].scores.all())
          out.push_back({name_below(std::to_string(k), score.name), score.value});
    }
    if (coverage_) {
      out.push_back({name_below(kSets, "coverage"), mean_at(coverage_->covered, places)});
      out.push_back({name_below(kSets, "size"), mean_at(coverage_->size, places)});
    }
    return out;
  }

  const Predicted& predicted_;
  const Task& task_;
  const PredictRequest& request_;
  std::unordered_map<int32_t, size_t> place_;
  std::optional<RowCoverage> coverage_;
};

// Without a level that a user asked for, a model that cannot make sets is scored without them.
std::optional<PredictedSets> sets_to_score(const Predicted& predicted,
                                           const PredictRequest& request,
                                           std::vector<std::string>& notes) {
  try {
    return sets_of(predicted, request.level.value_or(kDefaultLevel), request.sets);
  } catch (const UsageError& error) {
    if (request.level || request.sets != SetForm::kAps) throw;
    notes.push_back(fmt::format("no coverage: {}", error.what()));
    return std::nullopt;
  }
}

std::vector<int32_t> labelled_rows(const Predicted& predicted) {
  std::vector<int32_t> known;
  for (int32_t row : predicted.prediction.rows)
    if (predicted.data->labels().known(row)) known.push_back(row);
  if (known.empty())
    throw UsageError(predicted.dataset + ": no row has a label that the model knows");
  return known;
}

}  // namespace

Evaluation evaluate(const PredictRequest& request) {
  const Context::Scope scope(request.context);
  const Predicted predicted = predict_with(request, true);
  const std::shared_ptr<const Task> task = task_of(*predicted.learner, *predicted.data);
  Evaluation out{.dataset = predicted.dataset,
                 .method = predicted.method,
                 .kind = task->kind(),
                 .bootstrap = request.bootstrap,
                 .sets = request.sets,
                 .calibrated_by = predicted.calibrated_by,
                 .info = {task->scores().begin(), task->scores().end()},
                 .notes = predicted.notes};
  Evaluator evaluator(predicted, *task, request);
  const std::vector<int32_t> known =
      predicted.own_data ? std::vector<int32_t>() : labelled_rows(predicted);
  if (const auto sets = sets_to_score(predicted, request, out.notes)) {
    out.level = request.level.value_or(kDefaultLevel);
    evaluator.cover(*sets);
  }
  if (!predicted.own_data) {
    out.parts.push_back(evaluator.part("all", known));
    return out;
  }
  const Split& split = predicted.data->split();
  out.parts.push_back(evaluator.part("train", split.train));
  out.parts.push_back(evaluator.part("validation", split.validation));
  if (!predicted.calibration_rows.empty())
    out.parts.push_back(evaluator.part("calibration", predicted.calibration_rows));
  out.parts.push_back(evaluator.part("test", split.test));
  return out;
}

}  // namespace emgnn
