// SPDX-License-Identifier: Apache-2.0
// What a run says that it is busy with: a line on standard error where it takes long.
#include <gtest/gtest.h>

#include <emgnn/run/fit.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::small_request;
using testing::SmallGraph;
using testing::Workplace;
using Words = std::vector<std::string>;

class Phases : public RunsObserver {
 public:
  void on_phase(const Phase& phase) override { all.push_back(phase); }
  std::vector<Phase> all;

  Words names() const {
    Words out;
    for (const Phase& phase : all) out.push_back(phase.what);
    return out;
  }
};

// Before the training the end of the process loses nothing, from then on it would.
void expect_work_is_held_from_the_training_on(const Phases& phases) {
  bool trained = false;
  for (const Phase& phase : phases.all) {
    trained = trained || phase.what == "training";
    EXPECT_EQ(phase.holds_work, trained) << phase.what;
  }
}

TEST(Phases, OfTrainingOnAGraphAreNamedInTheirOrder) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  Phases phases;
  fit_runs(small_request(graph, "gcn"), phases);
  EXPECT_EQ(phases.names(), (Words{"reading " + graph, "preparing the graphs", "training",
                                   "predicting", "scoring"}));
  expect_work_is_held_from_the_training_on(phases);
}

TEST(Phases, OfLearningRewiredGraphsNameTheSearchAndEveryEStep) {
  const Workplace place;
  const std::string graph = SmallGraph{.edge_types = {"likes"}}.write(place, "graph");
  Phases phases;
  fit_runs(small_request(graph, "em-gcn",
                         {"em.recipe=published", "space.family=rewire", "space.grid=3"}),
           phases);
  EXPECT_EQ(phases.names(),
            (Words{"reading " + graph, "preparing the graphs", "searching candidate edges",
                   "preparing the graphs", "training", "judging graphs, round 1 of 2", "training",
                   "judging graphs, round 2 of 2", "training", "predicting", "scoring"}));
  expect_work_is_held_from_the_training_on(phases);
}

}  // namespace
}  // namespace emgnn
