// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "../base/with_threads.h"
#include "../learn/small_problems.h"
#include "tiny_methods.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;
using Settings = std::map<std::string, std::string>;

DataPtr citations() {
  return std::make_shared<const Data>(noisy_citations({.num_nodes = 150,
                                                       .num_classes = 3,
                                                       .num_words = 50,
                                                       .train_per_class = 8,
                                                       .validation_per_class = 8},
                                                      1));
}

std::shared_ptr<Learner> learner_of(const std::string& method, const DataPtr& data,
                                    const Settings& more) {
  Settings settings = tiny_settings();
  for (const auto& [key, value] : more) settings[key] = value;
  return configured(method, *data, settings)
      ->learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = 5});
}

// Long enough to learn something.
const Settings kTrained = {{"fit.epochs", "80"},     {"optim.learning_rate", "0.02"},
                           {"bgcn.warmup", "40"},    {"bgcn.burn_in", "9"},
                           {"bgcn.refit", "15"},     {"bgcn.random_iterations", "100"},
                           {"bgcn.iterations", "50"}};

class Losses : public FitObserver {
 public:
  void on_epoch(const EpochRecord& epoch) override {
    train.push_back(epoch.train_loss);
    validated += epoch.validation ? 1 : 0;
  }
  std::vector<double> train;
  int validated = 0;
};

std::vector<double> losses_of(const std::string& method, const DataPtr& data) {
  Losses losses;
  learner_of(method, data, {{"fit.epochs", "8"}, {"bgcn.warmup", "3"}})->fit(losses);
  EXPECT_EQ(losses.validated, 8);
  return losses.train;
}

// The loss of an epoch is that before its gradient step: the fifth is the first on a drawn graph.
TEST(BgcnMethod, IsGcnUntilItDrawsGraphs) {
  const DataPtr data = citations();
  const std::vector<double> bgcn = losses_of("bgcn", data), gcn = losses_of("gcn", data);
  for (size_t e = 0; e < 8; ++e) EXPECT_EQ(bgcn[e] == gcn[e], e <= 3) << e;
}

TEST(BgcnMethod, BitsDoNotDependOnThreads) {
  const DataPtr data = citations();
  const auto bits = [&] {
    const auto learner = learner_of("bgcn", data, {{"bgcn.batch", "60"}});
    fit(*learner);
    return state_of(*learner);
  };
  EXPECT_EQ(with_threads(1, bits) == with_threads(3, bits), true);
}

// Also between the iterations of a fit, and between the parts of one.
TEST(BgcnMethod, ResumesAfterEveryInterruption) {
  const DataPtr data = std::make_shared<const Data>(small_relations());
  const Settings settings = {{"bgcn.random_iterations", "60"}, {"bgcn.batch", "20"}};
  EXPECT_GE(expect_resumable([&] { return learner_of("bgcn", data, settings); }), 5 + 62 + 2);
}

TEST(BgcnMethod, AnswersWithTheMeanOverGraphsThatDiffer) {
  const DataPtr data = citations();
  const auto learner = learner_of("bgcn", data, kTrained);
  fit(*learner);
  const Prediction p = learner->predict(data->predicted_rows(), {});
  double most = 0.0;
  for (size_t row = 0; row < p.rows.size(); ++row) {
    double prob = 0.0, votes = 0.0;
    for (size_t c = 0; c < 3; ++c) {
      prob += std::exp(p.value[3 * row + c]);
      votes += p.votes[3 * row + c];
    }
    EXPECT_NEAR(prob, 1.0, 1e-12);
    EXPECT_NEAR(votes, 1.0, 1e-12);
    EXPECT_GE(p.graph_part[row], 0.0);
    EXPECT_LE(p.graph_part[row], std::log(3.0));
    most = std::max(most, p.graph_part[row]);
  }
  EXPECT_GT(most, 1e-4);
}

// What an epoch answers depends on the epochs before it, not on which of them count: the answer of two
// epochs is the mean of that of the first and that of the second. Each epoch has another graph, and
// a fit between two of them changes what is drawn.
TEST(BgcnMethod, OnlyTheEpochsBehindTheBurnInCount) {
  const DataPtr data = citations();
  const auto probabilities = [&](const char* epochs, const char* burn_in, const char* refit) {
    const auto learner = learner_of("bgcn", data,
                                    {{"fit.epochs", epochs},
                                     {"bgcn.burn_in", burn_in},
                                     {"bgcn.refit", refit},
                                     {"bgcn.warmup", "6"}});
    fit(*learner);
    std::vector<double> out = learner->predict(data->predicted_rows(), {}).value;
    for (double& value : out) value = std::exp(value);
    return out;
  };
  const std::vector<double> first = probabilities("10", "2", "20"),
                            second = probabilities("11", "3", "20"),
                            both = probabilities("11", "2", "20");
  double apart = 0.0;
  for (size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(both[i], 0.5 * (first[i] + second[i]),
                1e-12);  // a few roundings of numbers up to 1
    apart = std::max(apart, std::abs(first[i] - second[i]));
  }
  EXPECT_GT(apart, 1e-3);
  EXPECT_NE(probabilities("11", "3", "2"), second);
}

// Half of the answers or more would be right by chance for no class.
TEST(BgcnMethod, LearnsClassesAndHoldsEdgesInsideThemMoreProbable) {
  const DataPtr data = citations();
  const auto learner = learner_of("bgcn", data, kTrained);
  fit(*learner);
  const std::vector<int32_t>& test = data->split().test;
  const PartScores scores = learner->task()->score(learner->predict(test, {}), Ranks::kSkip);
  EXPECT_GT(scores.scores.at("accuracy"), 0.5);
  const GraphDistribution graphs = learner->graphs().value();
  EXPECT_EQ(graphs.family, "block-model");
  EXPECT_TRUE(graphs.names.empty());
  const std::vector<EdgeProbability> edges = learner->graph_report().edges;
  const Csr& graph = data->graph()->graph.relations.front().adjacency;
  EXPECT_EQ(edges.size(), undirected_edges(graph).size());
  double sum[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
  const std::vector<int32_t>& cls = data->labels().cls;
  for (const auto& [edge, p] : edges) {
    EXPECT_TRUE(p > 0.0 && p < 1.0);
    const bool same = cls[static_cast<size_t>(edge.u)] == cls[static_cast<size_t>(edge.v)];
    sum[same ? 1 : 0] += p;
    count[same ? 1 : 0] += 1.0;
  }
  EXPECT_GT(sum[1] / count[1], 1.2 * sum[0] / count[0]);
}

TEST(BgcnMethod, SaysNothingBeforeTraining) {
  const DataPtr data = citations();
  const auto learner = learner_of("bgcn", data, {});
  EXPECT_THROW(learner->predict(data->predicted_rows(), {}), UsageError);
  EXPECT_THROW(learner->graph_report(), UsageError);
}

TEST(BgcnMethod, RefusesASchedulingThatLeavesNoAnswer) {
  const DataPtr data = citations();
  const auto make = [&](const char* epochs) {
    learner_of("bgcn", data,
               {{"bgcn.warmup", "20"}, {"bgcn.burn_in", "4"}, {"fit.epochs", epochs}});
  };
  EXPECT_NO_THROW(make("26"));
  try {
    make("25");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "fit.epochs must be more than bgcn.warmup + bgcn.burn_in + 1 = 25: only later epochs "
              "have a part in the answer (got 25)");
  }
}

}  // namespace
}  // namespace emgnn
