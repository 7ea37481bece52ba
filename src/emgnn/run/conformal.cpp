// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/conformal.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/learn/conformal.h>

namespace emgnn {

namespace {

constexpr const char* kPrefix = "conformal/";
constexpr double kDiffusion = 0.5;  // of the neighbours, in DAPS
constexpr uint32_t kOwnShare = 2;   // of the stream of rows that stand for others
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The random share of an entry, the same whenever it is asked for.
double own_share(uint64_t seed, size_t entry) {
  return Rng(seed, Stream::kRowSample, entry, kOwnShare).uniform();
}

// Who is beside whom among the predicted rows, by any edge.
Neighbours neighbours_of(const Data& data, const Prediction& prediction) {
  constexpr size_t kNowhere = std::numeric_limits<size_t>::max();
  std::vector<size_t> place(static_cast<size_t>(data.num_rows()), kNowhere);
  for (size_t i = 0; i < prediction.rows.size(); ++i)
    place[static_cast<size_t>(prediction.rows[i])] = i;
  const Csr all = joined(data.graph()->graph);
  Neighbours out{.rowptr = {0}, .col = {}};
  for (int32_t row : prediction.rows) {
    for (int32_t other : all.row(row).col) {
      if (other != row && place[static_cast<size_t>(other)] != kNowhere)
        out.col.push_back(place[static_cast<size_t>(other)]);
    }
    out.rowptr.push_back(out.col.size());
  }
  return out;
}

// [rows, classes]
std::vector<double> class_scores_of(const Data& data, const Prediction& prediction, SetForm form,
                                    uint64_t seed) {
  std::vector<double> prob, u;
  for (double v : prediction.value) prob.push_back(std::exp(v));
  for (int32_t row : prediction.rows) u.push_back(own_share(seed, static_cast<size_t>(row)));
  std::vector<double> own = aps_scores(prob, u, prediction.width);
  if (form == SetForm::kAps) return own;
  return diffused_scores(own, neighbours_of(data, prediction), prediction.width, kDiffusion);
}

// [rows, labels, 2]: of "not there" and "there"
std::vector<double> label_scores_of(const Prediction& prediction, uint64_t seed) {
  const auto width = static_cast<size_t>(prediction.width);
  std::vector<double> prob, u;
  for (size_t i = 0; i < prediction.value.size(); ++i) {
    prob.insert(prob.end(), {1.0 - prediction.value[i], prediction.value[i]});
    u.push_back(
        own_share(seed, static_cast<size_t>(prediction.rows[i / width]) * width + i % width));
  }
  return aps_scores(prob, u, 2);
}

// What errors are measured in: the standard deviation, or the unit of the target.
double yardstick(const Prediction& prediction, size_t entry) {
  return prediction.std.empty() ? 1.0 : prediction.std[entry];
}

std::string name_in(const char* what, size_t k) { return fmt::format("{}/{}", what, k); }

std::string value_name(const Prediction& prediction, size_t target) {
  return name_in(prediction.std.empty() ? "error" : "spread", target);
}

const std::vector<double>& scores_named(const CalibrationScores& all, const std::string& name,
                                        double level) {
  const auto found = all.find(name);
  if (found == all.end()) {
    throw UsageError(
        "the model has no calibration rows: it was trained without validation labels, or by an "
        "earlier version; train it again");
  }
  const int64_t needed = rows_for_level(level);
  if (static_cast<int64_t>(found->second.size()) < needed) {
    throw UsageError(fmt::format("--level {}: needs {} calibration rows, the model has {}", level,
                                 needed, found->second.size()));
  }
  return found->second;
}

void check_form(const Data& data, SetForm form) {
  if (form == SetForm::kAps || (data.graph() && data.labels().kind == LabelKind::kClasses)) return;
  throw UsageError("--sets daps: is for classes of nodes");
}

}  // namespace

CalibrationScores calibration_scores(const Data& data, const Prediction& prediction,
                                     std::span<const int32_t> rows, uint64_t seed) {
  CalibrationScores out;
  const Labels& labels = data.labels();
  std::vector<size_t> place(static_cast<size_t>(data.num_rows()));
  for (size_t i = 0; i < prediction.rows.size(); ++i)
    place[static_cast<size_t>(prediction.rows[i])] = i;
  const auto width = static_cast<size_t>(prediction.width);
  const auto add = [&](const std::string& name, double score) {
    out[name].push_back(std::isnan(score) ? kInfinity : score);
  };
  const auto add_classes = [&](const char* name, SetForm form) {
    const std::vector<double> all = class_scores_of(data, prediction, form, seed);
    for (int32_t row : rows)
      add(name, all[place[static_cast<size_t>(row)] * width +
                    static_cast<size_t>(labels.cls[static_cast<size_t>(row)])]);
  };
  const auto for_each_known = [&](const auto& take) {
    for (int32_t row : rows)
      for (size_t k = 0; k < width; ++k)
        if (const double y = labels.at(row, static_cast<int32_t>(k)); !std::isnan(y))
          take(place[static_cast<size_t>(row)] * width + k, k, y);
  };
  if (labels.kind == LabelKind::kClasses) {
    add_classes("aps", SetForm::kAps);
    if (data.graph()) add_classes("daps", SetForm::kDaps);
  } else if (labels.kind == LabelKind::kLabels) {
    const std::vector<double> all = label_scores_of(prediction, seed);
    for_each_known([&](size_t entry, size_t k, double y) {
      add(name_in("label", k), all[2 * entry + (y > 0.5 ? 1 : 0)]);
    });
  } else {
    for_each_known([&](size_t entry, size_t k, double y) {
      add(value_name(prediction, k),
          std::abs(y - prediction.value[entry]) / yardstick(prediction, entry));
    });
  }
  for (auto& [name, scores] : out) std::sort(scores.begin(), scores.end());
  return out;
}

void store(const CalibrationScores& scores, TensorArchive& into) {
  for (const auto& [name, values] : scores)
    into.tensors[kPrefix + name] =
        TensorData::from<double>(values, {static_cast<int64_t>(values.size())});
}

CalibrationScores stored_calibration(const TensorArchive& archive) {
  CalibrationScores out;
  const std::string prefix = kPrefix;
  for (const auto& [name, tensor] : archive.tensors) {
    if (!name.starts_with(prefix)) continue;
    std::vector<double> values = tensor.values<double>();
    // The file is not trusted: quantiles need an order.
    for (double& v : values) v = std::isnan(v) ? kInfinity : v;
    std::sort(values.begin(), values.end());
    out[name.substr(prefix.size())] = std::move(values);
  }
  return out;
}

int64_t PredictedSets::size_of(size_t entry) const {
  const size_t answers = kind == LabelKind::kClasses ? width : 2;
  const auto first = in.begin() + static_cast<ptrdiff_t>(entry * answers);
  return std::count(first, first + static_cast<ptrdiff_t>(answers), 1);
}

PredictedSets predicted_sets(const Data& data, const Prediction& prediction,
                             const CalibrationScores& scores, const SetRequest& request) {
  check_form(data, request.form);
  const auto quantile = [&](const std::string& name) {
    return conformal_quantile(scores_named(scores, name, request.level), request.level);
  };
  PredictedSets out{.kind = data.labels().kind, .width = static_cast<size_t>(prediction.width)};
  if (out.kind == LabelKind::kClasses) {
    const double most = quantile(request.form == SetForm::kAps ? "aps" : "daps");
    for (double s : class_scores_of(data, prediction, request.form, request.seed))
      out.in.push_back(s <= most ? 1 : 0);
    return out;
  }
  std::vector<double> most;  // of each label or target
  for (size_t k = 0; k < out.width; ++k)
    most.push_back(
        quantile(out.kind == LabelKind::kLabels ? name_in("label", k) : value_name(prediction, k)));
  if (out.kind == LabelKind::kLabels) {
    const std::vector<double> all = label_scores_of(prediction, request.seed);
    for (size_t i = 0; i < all.size(); ++i)
      out.in.push_back(all[i] <= most[i / 2 % out.width] ? 1 : 0);
    return out;
  }
  for (size_t i = 0; i < prediction.value.size(); ++i) {
    const double off = most[i % out.width] * yardstick(prediction, i);
    out.lower.push_back(prediction.value[i] - off);
    out.upper.push_back(prediction.value[i] + off);
  }
  return out;
}

RowCoverage coverage_of(const PredictedSets& sets, const Prediction& prediction,
                        const Labels& labels) {
  RowCoverage out;
  const auto add = [&](double covered, double size, double known) {
    out.covered.push_back(covered / known);  // 0 / 0 is NaN
    out.size.push_back(size / known);
  };
  for (size_t i = 0; i < prediction.rows.size(); ++i) {
    const int32_t row = prediction.rows[i];
    if (sets.kind == LabelKind::kClasses) {
      const int32_t cls = labels.cls[static_cast<size_t>(row)];
      const bool known = cls != kNoLabel;
      const bool covered = known && sets.in[i * sets.width + static_cast<size_t>(cls)] != 0;
      add(covered ? 1.0 : 0.0, known ? static_cast<double>(sets.size_of(i)) : 0.0, known ? 1 : 0);
      continue;
    }
    double covered = 0.0, size = 0.0, known = 0.0;
    for (size_t k = 0; k < sets.width; ++k) {
      const double y = labels.at(row, static_cast<int32_t>(k));
      if (std::isnan(y)) continue;
      const size_t entry = i * sets.width + k;
      const bool values = sets.kind == LabelKind::kValues;
      const bool hit = values ? sets.lower[entry] <= y && y <= sets.upper[entry]
                              : sets.in[2 * entry + (y > 0.5 ? 1 : 0)] != 0;
      covered += hit ? 1.0 : 0.0;
      size +=
          values ? sets.upper[entry] - sets.lower[entry] : static_cast<double>(sets.size_of(entry));
      known += 1.0;
    }
    add(covered, size, known);
  }
  return out;
}

}  // namespace emgnn
