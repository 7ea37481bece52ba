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
  settings["space.drop_edge"] = rate;
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
TEST(DropEdgeMethod, ARateThatDropsNothingIsGcnBitForBit) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  for (const char* normalisation : {"row", "symmetric"}) {
    const std::string gcn = trained("gcn", data, "0", normalisation);
    EXPECT_EQ(trained("dropedge", data, "1e-300", normalisation) == gcn, true) << normalisation;
    EXPECT_EQ(trained("dropedge", data, "0.3", normalisation) == gcn, false) << normalisation;
  }
}

// Those that compute on edges, too; simple-hgn knows the types of the edges that are left.
TEST(DropEdgeMethod, AnyNetworkDropsEdges) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  for (const char* method : {"gat", "gin", "sgc", "acm-gcn+", "simple-hgn"}) {
    const std::string whole = trained(method, data, "0");
    EXPECT_EQ(trained(method, data, "1e-300") == whole, true) << method;
    EXPECT_EQ(trained(method, data, "0.5") == whole, false) << method;
  }
}

TEST(DropEdgeMethod, OtherViewsAndSharesAreRefused) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  for (const auto& [key, value] : {std::pair{"space.views", "knn:2"}, {"space.mixing", "shares"}}) {
    auto settings = tiny_settings();
    settings["space.drop_edge"] = std::string("0.5");
    settings[key] = std::string(value);
    const auto config = configured("gcn", *data, settings);
    EXPECT_THROW(
        config->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5}),
        UsageError)
        << key;
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
