// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/group_scores.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace emgnn {

namespace {

struct Hits {
  int64_t hit = 0, predicted = 0, actual = 0;  // TP, TP + FP, TP + FN

  GroupScores scores() const {
    const auto ratio = [](int64_t part, int64_t whole) {
      return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                       : std::numeric_limits<double>::quiet_NaN();
    };
    const double f1 = hit > 0 ? ratio(2 * hit, predicted + actual) : 0.0;
    return {.support = actual,
            .scores = {
                {"precision", ratio(hit, predicted)}, {"recall", ratio(hit, actual)}, {"f1", f1}}};
  }
};

std::vector<GroupScores> scores_of(const std::vector<Hits>& all) {
  std::vector<GroupScores> out;
  for (const Hits& hits : all) out.push_back(hits.scores());
  return out;
}

}  // namespace

std::vector<GroupScores> class_group_scores(std::span<const double> log_prob,
                                            std::span<const int32_t> cls, int64_t num_classes) {
  const auto width = static_cast<size_t>(num_classes);
  std::vector<Hits> all(width);
  for (size_t i = 0; i < cls.size(); ++i) {
    const auto row = log_prob.subspan(i * width, width);
    const auto best = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    const auto actual = static_cast<size_t>(cls[i]);
    ++all[best].predicted;
    ++all[actual].actual;
    all[actual].hit += best == actual ? 1 : 0;
  }
  return scores_of(all);
}

std::vector<GroupScores> label_group_scores(std::span<const double> prob,
                                            std::span<const double> label, int64_t num_labels) {
  const auto width = static_cast<size_t>(num_labels);
  std::vector<Hits> all(width);
  for (size_t i = 0; i < label.size(); ++i) {
    if (std::isnan(label[i])) continue;
    const bool predicted = prob[i] > 0.5, actual = label[i] > 0.5;
    Hits& hits = all[i % width];
    hits.predicted += predicted ? 1 : 0;
    hits.actual += actual ? 1 : 0;
    hits.hit += predicted && actual ? 1 : 0;
  }
  return scores_of(all);
}

std::vector<GroupScores> value_group_scores(std::span<const double> prediction,
                                            std::span<const double> target, int64_t num_targets) {
  const auto width = static_cast<size_t>(num_targets);
  std::vector<GroupScores> out;
  for (size_t t = 0; t < width; ++t) {
    std::vector<double> p, y;
    for (size_t i = t; i < target.size(); i += width) {
      if (std::isnan(target[i])) continue;
      p.push_back(prediction[i]);
      y.push_back(target[i]);
    }
    out.push_back({.support = static_cast<int64_t>(y.size()), .scores = value_scores(p, y, 1)});
  }
  return out;
}

}  // namespace emgnn
