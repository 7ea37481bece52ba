// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/predictions.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>

namespace emgnn {
namespace {

const double kUnknown = std::numeric_limits<double>::quiet_NaN();

Data graph_with(Labels labels) {
  Dataset graph{.name = "g"};
  graph.graph.num_nodes = static_cast<int32_t>(labels.num_rows);
  graph.labels = std::move(labels);
  graph.split = {.train = {0}, .validation = {1}, .test = {}};
  graph.node_names = {"a", "b, c", "d"};
  return Data(std::move(graph));
}

Data molecules_with(Labels labels, std::vector<Reject> rejects) {
  MoleculeTable table{.name = "t"};
  table.molecules.atom_begin = {0, 1, 2};
  table.molecules.bond_begin = {0, 0, 0};
  table.molecules.smiles = {"C", "N"};
  table.row = {2, 4};
  table.labels = std::move(labels);
  table.rejects = std::move(rejects);
  return Data(std::make_shared<const MoleculeTable>(std::move(table)), {.train = {1}, .test = {0}});
}

TEST(Predictions, OfClassesHaveTheProbabilitiesOfEachAndTheUncertainty) {
  const Data data = graph_with(
      {.kind = LabelKind::kClasses, .num_rows = 3, .names = {"x", "y,z"}, .cls = {1, kNoLabel, 0}});
  const Prediction prediction{
      .rows = {0, 1},
      .width = 2,
      .value = {std::log(0.25), std::log(0.75), std::log(0.9), std::log(0.1)},
      .graph_part = {0.02, 0.03},
      .network_part = {0.015, 0.0},
      .noise = {0.5, 0.25}};
  EXPECT_EQ(predictions_csv(data, prediction),
            "node,split,label,predicted,p(x),\"p(y,z)\",entropy,graph_information,"
            "network_information,within_entropy,mean_entropy\n"
            "a,train,\"y,z\",\"y,z\",0.25,0.75,0.562335,0.005,0.015,0.5,0.52\n"
            "\"b, c\",validation,,x,0.9,0.1,0.325083,0.03,0,0.25,0.28\n");
}

TEST(Predictions, AreNotWrittenToTheEndOnceTheUserWantsAnEnd) {
  const Data data = graph_with(
      {.kind = LabelKind::kClasses, .num_rows = 3, .names = {"x", "y"}, .cls = {1, kNoLabel, 0}});
  const Prediction prediction{
      .rows = {0}, .width = 2, .value = {-1, -1}, .graph_part = {0}, .noise = {0}};
  const Context::Scope scope{Context(1, Device::kCpu, [] { return true; })};
  EXPECT_THROW(predictions_csv(data, prediction), Interrupted);
}

TEST(Predictions, OfSeveralLabelsNameThoseAboveOneHalf) {
  const Data data = graph_with({.kind = LabelKind::kLabels,
                                .num_rows = 3,
                                .names = {"p", "q", "r"},
                                .value = {1, 0, 1, kUnknown, kUnknown, 1, 0, 0, 0}});
  const Prediction prediction{.rows = {0, 1, 2},
                              .width = 3,
                              .value = {0.75, 0.25, 1, 0.5, 0.5, 0.5, 0, 1, 1},
                              .graph_part = {0, 0.125, 0, 0, 0, 0, 0, 0, 0},
                              .noise = {0.5, 0.25, 0, 0.5, 0.5, 0.5, 0, 0, 0}};
  const auto of = [](const std::string& name) {
    return ",p(" + name + "),entropy(" + name + "),graph_information(" + name +
           "),network_information(" + name + "),within_entropy(" + name + "),mean_entropy(" + name +
           ")";
  };
  EXPECT_EQ(
      predictions_csv(data, prediction),
      "node,split,label,predicted" + of("p") + of("q") + of("r") +
          "\n"
          "a,train,p;r,p;r,0.75,0.562335,0,0,0.5,0.5,0.25,0.562335,0.125,0,0.25,0.375,1,0,0,0,"
          "0,0\n"
          "\"b, c\",validation,r,,0.5,0.693147,0,0,0.5,0.5,0.5,0.693147,0,0,0.5,0.5,0.5,"
          "0.693147,0,0,0.5,0.5\n"
          "d,,,q;r,0,0,0,0,0,0,1,0,0,0,0,0,1,0,0,0,0,0\n");
}

TEST(Predictions, OfOneValueAreInPlainColumns) {
  const Data data = graph_with({.kind = LabelKind::kValues,
                                .num_rows = 3,
                                .names = {"height"},
                                .value = {1.5, kUnknown, 2}});
  const Prediction prediction{
      .rows = {0, 1}, .width = 1, .value = {1.25, -3e-7}, .graph_part = {0.5, 0}};
  EXPECT_EQ(predictions_csv(data, prediction),
            "node,split,target,value,graph_std,network_std\n"
            "a,train,1.5,1.25,0.5,0\n"
            "\"b, c\",validation,,-3e-07,0,0\n");
}

TEST(Predictions, OfSeveralValuesNameTheTargets) {
  const Data data = graph_with({.kind = LabelKind::kValues,
                                .num_rows = 3,
                                .names = {"u", "v"},
                                .value = {1, kUnknown, 3, 4, 5, 6}});
  const Prediction prediction{.rows = {0}, .width = 2, .value = {7, 8}, .graph_part = {0.5, 0.25}};
  EXPECT_EQ(predictions_csv(data, prediction),
            "node,split,target(u),value(u),graph_std(u),network_std(u),target(v),value(v),"
            "graph_std(v),network_std(v)\n"
            "a,train,1,7,0.5,0,,8,0.25,0\n");
}

TEST(Predictions, OfValuesHaveTheNoiseAndTheWholeWhereTheyAreKnown) {
  const Labels one{.kind = LabelKind::kValues, .num_rows = 2, .names = {"y"}, .value = {0.1, 3}};
  const Prediction prediction{.rows = {0, 1},
                              .width = 1,
                              .value = {1, 2},
                              .graph_part = {0.3, 0},
                              .network_part = {0.18, 0},
                              .noise = {0.4, 2},
                              .std = {0.5, 2}};
  EXPECT_EQ(predictions_csv(molecules_with(one, {}), prediction),
            "row,smiles,split,target,value,graph_std,network_std,noise_std,std\n"
            "2,C,test,0.1,1,0.24,0.18,0.4,0.5\n"
            "4,N,train,3,2,0,0,2,2\n");
  EXPECT_EQ(predictions_csv_with_rejects(molecules_with(one, {{3, "?", "bad"}}), prediction),
            "row,smiles,value,graph_std,network_std,noise_std,std,rejected\n"
            "2,C,1,0.24,0.18,0.4,0.5,\n"
            "3,?,,,,,,bad\n"
            "4,N,2,0,0,2,2,\n");
  const Data two = graph_with({.kind = LabelKind::kValues,
                               .num_rows = 3,
                               .names = {"u", "v"},
                               .value = {1, kUnknown, 3, 4, 5, 6}});
  EXPECT_EQ(predictions_csv(two, {.rows = {0},
                                  .width = 2,
                                  .value = {7, 8},
                                  .graph_part = {0.5, 0.25},
                                  .noise = {1, 2},
                                  .std = {3, 4}}),
            "node,split,target(u),value(u),graph_std(u),network_std(u),noise_std(u),std(u),"
            "target(v),value(v),graph_std(v),network_std(v),noise_std(v),std(v)\n"
            "a,train,1,7,0.5,0,1,3,,8,0.25,0,2,4\n");
}

TEST(Prediction, OfSomeRowsHasAllItsParts) {
  const Prediction all{.rows = {4, 7, 9},
                       .width = 2,
                       .value = {1, 2, 3, 4, 5, 6},
                       .graph_part = {10, 20, 30},
                       .votes = {6, 5, 4, 3, 2, 1}};
  const Prediction some = at_rows(all, std::vector<int32_t>{9, 4});
  EXPECT_EQ(some.rows, (std::vector<int32_t>{9, 4}));
  EXPECT_EQ(some.width, 2);
  EXPECT_EQ(some.value, (std::vector<double>{5, 6, 1, 2}));
  EXPECT_EQ(some.graph_part, (std::vector<double>{30, 10}));
  EXPECT_EQ(some.votes, (std::vector<double>{2, 1, 6, 5}));
  EXPECT_TRUE(some.noise.empty() && some.std.empty());
}

TEST(Predictions, OfMoleculesHaveTheirRecordAndSmiles) {
  const Labels values{.kind = LabelKind::kValues, .num_rows = 2, .names = {"y"}, .value = {0.1, 3}};
  const Prediction prediction{.rows = {0, 1}, .width = 1, .value = {1, 2}, .graph_part = {0, 0}};
  EXPECT_EQ(predictions_csv(molecules_with(values, {}), prediction),
            "row,smiles,split,target,value,graph_std,network_std\n"
            "2,C,test,0.1,1,0,0\n"
            "4,N,train,3,2,0,0\n");
}

TEST(Predictions, HiddenLabelsAreThoseOfTheTestRowsAlone) {
  const auto hidden = [](Labels labels, const Prediction& prediction) {
    return predictions_csv(molecules_with(std::move(labels), {}), prediction,
                           {.test = TestLabels::kHide});
  };
  const Prediction one{
      .rows = {0, 1}, .width = 1, .value = {1, 0}, .graph_part = {0, 0}, .noise = {0, 0}};
  const Prediction two{.rows = {0, 1},
                       .width = 2,
                       .value = {0, -INFINITY, -INFINITY, 0},
                       .graph_part = {0, 0},
                       .noise = {0, 0}};
  EXPECT_EQ(
      hidden({.kind = LabelKind::kClasses, .num_rows = 2, .names = {"x", "y"}, .cls = {1, 1}}, two),
      "row,smiles,split,label,predicted,p(x),p(y),entropy,graph_information,network_information,"
      "within_entropy,mean_entropy\n"
      "2,C,test,,x,1,0,0,0,0,0,0\n"
      "4,N,train,y,y,0,1,0,0,0,0,0\n");
  EXPECT_EQ(
      hidden({.kind = LabelKind::kLabels, .num_rows = 2, .names = {"x"}, .value = {1, 1}}, one),
      "row,smiles,split,label,predicted,p(x),entropy(x),graph_information(x),"
      "network_information(x),within_entropy(x),mean_entropy(x)\n"
      "2,C,test,,x,1,0,0,0,0,0\n"
      "4,N,train,x,,0,0,0,0,0,0\n");
  EXPECT_EQ(
      hidden({.kind = LabelKind::kValues, .num_rows = 2, .names = {"y"}, .value = {0.1, 3}}, one),
      "row,smiles,split,target,value,graph_std,network_std\n"
      "2,C,test,,1,0,0\n"
      "4,N,train,3,0,0,0\n");
}

TEST(Predictions, OfNewMoleculesKeepEveryRecordOfTheFile) {
  const std::vector<Reject> rejects = {
      {1, "?", "no molecule"}, {3, "C,C", "said \"no\""}, {5, "", "empty"}};
  const Prediction prediction{.rows = {0, 1}, .width = 1, .value = {1, 2}, .graph_part = {0, 0.5}};
  const Labels values{
      .kind = LabelKind::kValues, .num_rows = 2, .names = {"y"}, .value = {kUnknown, kUnknown}};
  EXPECT_EQ(predictions_csv_with_rejects(molecules_with(values, rejects), prediction),
            "row,smiles,value,graph_std,network_std,rejected\n"
            "1,?,,,,no molecule\n"
            "2,C,1,0,0,\n"
            "3,\"C,C\",,,,\"said \"\"no\"\"\"\n"
            "4,N,2,0.5,0,\n"
            "5,,,,,empty\n");
}

TEST(Predictions, OfNewMoleculesWithClassesOrLabelsKeepTheirColumnsInStep) {
  const Labels classes{
      .kind = LabelKind::kClasses, .num_rows = 2, .names = {"x", "y"}, .cls = {kNoLabel, kNoLabel}};
  const Prediction prediction{.rows = {0, 1},
                              .width = 2,
                              .value = {0, -INFINITY, -INFINITY, 0},
                              .graph_part = {0, 0},
                              .noise = {0, 0}};
  EXPECT_EQ(predictions_csv_with_rejects(molecules_with(classes, {{3, "?", "bad"}}), prediction),
            "row,smiles,predicted,p(x),p(y),entropy,graph_information,network_information,"
            "within_entropy,mean_entropy,rejected\n"
            "2,C,x,1,0,0,0,0,0,0,\n"
            "3,?,,,,,,,,,bad\n"
            "4,N,y,0,1,0,0,0,0,0,\n");
  // A name with a comma must not make an empty row longer.
  const Labels labels{
      .kind = LabelKind::kLabels, .num_rows = 2, .names = {"x,1"}, .value = {kUnknown, kUnknown}};
  const Prediction one{
      .rows = {0, 1}, .width = 1, .value = {1, 0}, .graph_part = {0, 0}, .noise = {0, 0}};
  EXPECT_EQ(predictions_csv_with_rejects(molecules_with(labels, {{3, "?", "bad"}}), one),
            "row,smiles,predicted,\"p(x,1)\",\"entropy(x,1)\","
            "\"graph_information(x,1)\",\"network_information(x,1)\",\"within_entropy(x,1)\","
            "\"mean_entropy(x,1)\",rejected\n"
            "2,C,\"x,1\",1,0,0,0,0,0,\n"
            "3,?,,,,,,,,bad\n"
            "4,N,,0,0,0,0,0,0,\n");
}

TEST(Predictions, TheDistributionIsATableOfItsPoints) {
  const GraphDistribution graphs{.family = "mixture",
                                 .names = {"likes", "a, b"},
                                 .num_shares = 2,
                                 .points = {{{0.25, 0.75}, 0.1}, {{1.0, 0.0}, 0.9}},
                                 .prior = {}};
  EXPECT_EQ(posterior_csv(graphs), "likes,\"a, b\",p\n0.25,0.75,0.1\n1,0,0.9\n");
}

TEST(Predictions, ChangedEdgesAreListedByName) {
  Dataset graph{.name = "g"};
  graph.graph.num_nodes = 3;
  graph.node_names = {"a", "b", "c"};
  graph.perturbation = {{{0, 1}, false}, {{1, 2}, true}};
  EXPECT_EQ(perturbed_edges_csv(graph), "source,target,change\na,b,removed\nb,c,added\n");
}

}  // namespace
}  // namespace emgnn
