// SPDX-License-Identifier: Apache-2.0
// What asks a learner for an answer before its training has ended.
#include <emgnn/run/plan.h>

#include <gtest/gtest.h>

#include <emgnn/methods/catalogue.h>
#include <emgnn/run/auto_preset.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

RunRequest request_for(const std::string& dataset, const std::string& method,
                       const std::string& preset) {
  return {.config = {.dataset = dataset,
                     .method = method,
                     .layers = {{.name = "--preset", .toml = "", .assignments = {preset}}}},
          .context = Context(2)};
}

// With the settings of a run, of which only the beginning is trained.
TEST(Plan, IsMadeForEveryMethodOnGraphs) {
  const testing::Workplace place;
  const std::string dataset = testing::SmallGraph{}.write(place, "graph");
  RunsObserver observer;
  for (const MethodInfo& method : methods()) {
    if (!method.fits(DataKind::kGraph)) continue;
    const RunPlan plan = plan_run(request_for(dataset, method.name, "preset=none"), observer);
    EXPECT_GT(plan.epochs, 0) << method.name;
    EXPECT_GE(plan.predict_seconds, 0.0) << method.name;
  }
}

// Trials end long before the epochs whose answers bgcn averages.
TEST(AutoPreset, ComparesPresetsOfBgcn) {
  const testing::Workplace place;
  const std::string dataset = testing::SmallGraph{}.write(place, "graph");
  RunsObserver observer;
  const RunRequest chosen = with_preset(request_for(dataset, "bgcn", "preset=auto"), observer);
  EXPECT_NE(chosen.preset_record.find("trials"), std::string::npos) << chosen.preset_record;
}

}  // namespace
}  // namespace emgnn
