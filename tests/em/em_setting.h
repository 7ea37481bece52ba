// SPDX-License-Identifier: Apache-2.0
// EM on a small graph with two edge types.
#pragma once

#include <memory>

#include "../learn/interruption.h"
#include "../learn/small_problems.h"

#include <emgnn/em/em_learner.h>

namespace emgnn {

inline std::shared_ptr<const Data> small_data() {
  static const auto data = std::make_shared<const Data>(small_relations());
  return data;
}

// A GCN of width 8, 3 epochs of warm-up and 4 rounds of 5 epochs.
struct Setting {
  std::shared_ptr<const Data> data = small_data();
  GcnOptions gcn{.stack = {.hidden = 8}};
  MixtureOptions mixture;
  ProblemOptions problem;
  EmLearnerOptions em{.em = {.rounds = 4, .steps = 5, .warmup = 3, .draws = 2},
                      .mcmc = {},
                      .optim = {},
                      .stop = {.rule = "never"},
                      .seed = 5};

  ProblemParts parts() const { return gcn_parts(data, gcn, em.seed, mixture); }
  std::shared_ptr<EmLearner> learner() const {
    return std::make_shared<EmLearner>(parts(), problem, em);
  }
  // Its twin, trained.
  std::shared_ptr<EmLearner> trained() const {
    auto out = learner();
    fit(*out);
    return out;
  }
};

inline Prediction predict(Learner& learner, const Data& data) {
  return learner.predict(data.predicted_rows(), {});
}

inline double test_accuracy(Learner& learner, const Data& data) {
  const Prediction p = learner.predict(data.split().test, {});
  return learner.task()->score(p, Ranks::kSkip).scores.at("accuracy");
}

// The labels of the test rows, and of the validation rows if asked for, become others.
inline std::shared_ptr<const Data> with_other_labels(const Data& data, bool validation) {
  Dataset other = *data.graph();
  const auto change = [&](const std::vector<int32_t>& rows) {
    for (int32_t v : rows) {
      int32_t& cls = other.labels.cls[static_cast<size_t>(v)];
      cls = (cls + 1) % other.labels.num_classes();
    }
  };
  change(other.split.test);
  if (validation) change(other.split.validation);
  return std::make_shared<const Data>(std::move(other));
}

}  // namespace emgnn
