// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "../base/with_threads.h"
#include "../learn/small_problems.h"
#include "tiny_methods.h"

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;

std::shared_ptr<Learner> learner_of(const std::string& method, const DataPtr& data,
                                    const char* rate, const char* normalisation = "row") {
  auto settings = tiny_settings();
  settings["fit.epochs"] = std::string("8");
  settings["model.drop_edge"] = rate;
  settings["space.normalisation"] = normalisation;
  return configured(method, *data, settings)
      ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
}

std::string trained(const std::string& method, const DataPtr& data, const char* rate,
                    const char* normalisation = "row") {
  const auto learner = learner_of(method, data, rate, normalisation);
  fit(*learner);
  return state_of(*learner);
}

// Several edge types, and dropout beside the dropped edges.
TEST(DropEdgeMethod, ARateOfZeroIsGcnBitForBit) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  for (const char* normalisation : {"row", "symmetric"}) {
    EXPECT_EQ(
        trained("dropedge", data, "0", normalisation) == trained("gcn", data, "0", normalisation),
        true)
        << normalisation;
    EXPECT_EQ(
        trained("dropedge", data, "0.3", normalisation) == trained("gcn", data, "0", normalisation),
        false)
        << normalisation;
  }
}

TEST(DropEdgeMethod, BitsDoNotDependOnThreads) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  const auto bits = [&] { return trained("dropedge", data, "0.5"); };
  EXPECT_EQ(with_threads(1, bits) == with_threads(3, bits), true);
}

TEST(DropEdgeMethod, ResumesAfterEveryInterruption) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  EXPECT_GE(expect_resumable([&] { return learner_of("dropedge", data, "0.5"); }), 8);
}

// What is evaluated is not drawn: asking twice gives the same answer.
TEST(DropEdgeMethod, PredictsOnTheWholeGraph) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  const auto dropping = learner_of("dropedge", data, "0.9"), gcn = learner_of("gcn", data, "0");
  fit(*dropping);
  restore(*gcn, state_of(*dropping, Scope::kModel), Scope::kModel);
  EXPECT_EQ(dropping->predict(data->predicted_rows(), {}).value,
            gcn->predict(data->predicted_rows(), {}).value);
}

}  // namespace
}  // namespace emgnn
