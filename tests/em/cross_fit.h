// SPDX-License-Identifier: Apache-2.0
// Networks on a small graph, each trained without one part of the labels.
#pragma once

#include <vector>

#include "em_setting.h"

#include <emgnn/learn/folds.h>

namespace emgnn {

using Folds = std::vector<std::vector<int32_t>>;

inline constexpr int64_t kFolds = 3;

// Draws and weights that do not depend on the posterior, so that no network hears of the others.
inline Setting deaf_setting() {
  Setting out;
  out.em.em.variant = Variant::kPt;
  out.em.em.explore = 1.0;
  out.em.em.weight = WeightRule::kOne;
  out.em.em.average = Average::kProbabilities;
  return out;
}

// All that there is: stacked posterior, temperatures, averaged weights.
inline Setting full_setting() {
  Setting out = deaf_setting();
  out.em.em.explore = 0.25;
  out.em.em.weight = WeightRule::kImportance;
  out.em.em.variant = Variant::kPd;
  out.em.em.posterior = PosteriorMode::kStack;
  out.em.em.temperature = GraphTemperature::kEach;
  out.em.optim.average = 0.8;
  return out;
}

inline Folds folds_of(const Setting& setting) {
  return stratified_folds(setting.data->labels(), setting.data->split().train, kFolds,
                          setting.em.seed);
}

// Network k of as many as there are folds, with parts that others may share.
inline Problem member(const Setting& setting, const Folds& folds, size_t k, ProblemParts parts) {
  ProblemOptions options = setting.problem;
  options.average = setting.em.em.average;
  options.evidence = EvidenceKind::kCrossFit;
  options.left_out = folds[k];
  options.seed = member_seed(setting.em.seed, Stream::kFold, k);
  parts.network = make_gcn(setting.gcn, shape_of(*parts.data, *parts.task), options.seed);
  return {std::move(parts), options};
}

// All of them; they share what can be shared.
inline std::vector<Problem> members(const Setting& setting, const Folds& folds) {
  const ProblemParts shared = setting.parts();
  std::vector<Problem> out;
  for (size_t k = 0; k < folds.size(); ++k) out.push_back(member(setting, folds, k, shared));
  return out;
}

inline std::shared_ptr<EmLearner> cross_fit(const Setting& setting) {
  return std::make_shared<EmLearner>(members(setting, folds_of(setting)), setting.em);
}

}  // namespace emgnn
