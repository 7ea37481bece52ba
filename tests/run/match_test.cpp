// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/match.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <emgnn/formats/csv.h>
#include <emgnn/run/evaluate.h>
#include <emgnn/run/fit.h>
#include <emgnn/run/predict.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::small_request;
using testing::SmallGraph;
using testing::Workplace;
using Names = std::vector<std::string>;

double feature(const Data& data, int32_t row, int32_t col) {
  const Features& x = data.graph()->features;
  if (!x.is_sparse) return x.dense[static_cast<size_t>(row * x.num_cols + col)];
  for (int32_t e = x.sparse.rowptr[static_cast<size_t>(row)];
       e < x.sparse.rowptr[static_cast<size_t>(row) + 1]; ++e)
    if (x.sparse.col[static_cast<size_t>(e)] == col) return x.sparse.value(e);
  return 0.0;
}

// A graph of two nodes and one edge of each type.
Dataset tiny(const Names& features, bool is_sparse, const Names& edge_types = {"e"}) {
  Dataset out{.name = "tiny"};
  out.graph.num_nodes = 2;
  for (const std::string& type : edge_types)
    out.graph.relations.push_back(
        {type, csr_from_coo(2, 2, {{0, 1}, {1, 0}, {}}, Duplicates::kKeepFirst)});
  const auto cols = static_cast<int32_t>(features.size());
  out.features = {.num_rows = 2, .num_cols = cols, .is_sparse = is_sparse, .names = features};
  Coo entries;
  for (int32_t r = 0; r < 2; ++r) {
    for (int32_t c = 0; c < cols; ++c) {
      const auto value = static_cast<float>(features[static_cast<size_t>(c)][0] + r);
      out.features.dense.push_back(value);
      entries.row.push_back(r);
      entries.col.push_back(c);
      entries.val.push_back(value);
    }
  }
  if (is_sparse) {
    out.features.dense.clear();
    out.features.sparse = csr_from_coo(2, cols, entries, Duplicates::kKeepFirst);
  }
  out.labels = {.kind = LabelKind::kClasses, .num_rows = 2, .names = {"x", "y"}, .cls = {0, 1}};
  return out;
}

TEST(Match, DataOfTheSameNamesIsLeftAsItIs) {
  const Data data(tiny({"a", "b"}, false));
  const MatchedData matched = match(data, schema_of(data, false));
  EXPECT_EQ(matched.data->graph()->features.dense, data.graph()->features.dense);
  EXPECT_EQ(matched.rows, (std::vector<int32_t>{0, 1}));
  EXPECT_TRUE(matched.notes.empty());
  EXPECT_TRUE(matched.node_row.empty());
}

TEST(Match, ColumnsFollowTheirNames) {
  for (const bool is_sparse : {false, true}) {
    const DataSchema schema = schema_of(Data(tiny({"a", "b", "c"}, false)), false);
    const MatchedData matched = match(Data(tiny({"c", "z", "a", "b"}, is_sparse)), schema);
    EXPECT_EQ(matched.data->num_features(), 3);
    EXPECT_EQ(matched.data->graph()->features.names, schema.feature_names);
    for (int32_t row = 0; row < 2; ++row)
      for (int32_t col = 0; col < 3; ++col)
        EXPECT_EQ(feature(*matched.data, row, col), 'a' + col + row) << is_sparse;
    EXPECT_EQ(matched.notes, (Names{"tiny: the model does not know the features z: left out"}));
  }
}

TEST(Match, MissingNamesAreRefused) {
  const DataSchema schema = schema_of(Data(tiny({"a", "b", "c"}, false, {"e", "f"})), false);
  const auto refused = [&](const Dataset& data) {
    return message_of<UsageError>([&] { match(Data(data), schema); });
  };
  EXPECT_EQ(refused(tiny({"a"}, false, {"e", "f"})),
            "tiny does not fit the model: it lacks the features b, c");
  EXPECT_EQ(refused(tiny({"a", "b", "c"}, true, {"f", "g"})),
            "tiny does not fit the model: it lacks the edge types e");
  Dataset nameless = tiny({"a", "b", "c"}, false, {"e", "f"});
  nameless.features.names.clear();
  EMGNN_EXPECT_PART(refused(nameless), "the model knows its features by name");
}

TEST(Match, ColumnsWithoutNamesAreCounted) {
  Dataset nameless = tiny({"a", "b"}, false);
  nameless.features.names.clear();
  const DataSchema schema = schema_of(Data(nameless), false);
  EXPECT_NO_THROW(match(Data(nameless), schema));
  EXPECT_NO_THROW(match(Data(tiny({"x", "y"}, true)), schema));
  EXPECT_EQ(message_of<UsageError>([&] { match(Data(tiny({"a"}, false)), schema); }),
            "tiny does not fit the model: 2 features there and 1 here");
}

TEST(Match, EdgeTypesFollowTheirNames) {
  const DataSchema schema = schema_of(Data(tiny({"a"}, false, {"e", "f"})), false);
  Dataset other = tiny({"a"}, false, {"g", "f", "e"});
  other.graph.relations[1].adjacency = csr_from_coo(2, 2, {}, Duplicates::kKeepFirst);  // f
  const MatchedData matched = match(Data(other), schema);
  const auto& relations = matched.data->graph()->graph.relations;
  ASSERT_EQ(relations.size(), 2U);
  EXPECT_EQ(relations[0].name, "e");
  EXPECT_EQ(relations[0].adjacency.num_entries(), 2);
  EXPECT_EQ(relations[1].name, "f");
  EXPECT_EQ(relations[1].adjacency.num_entries(), 0);
  EXPECT_EQ(matched.notes, (Names{"tiny: the model does not know the edge types g: left out"}));
}

TEST(Match, NodeTypesFollowTheirNames) {
  const auto typed = [](const Names& names, const std::vector<int32_t>& types) {
    Dataset out = tiny({"a"}, false);
    out.node_type_names = names;
    out.node_type = types;
    return Data(out);
  };
  const DataSchema schema = schema_of(typed({"u", "v", "w"}, {0, 2}), false);
  const MatchedData matched = match(typed({"z", "w"}, {1, 0}), schema);
  EXPECT_EQ(matched.data->graph()->node_type_names, (Names{"u", "v", "w", "z"}));
  EXPECT_EQ(matched.data->graph()->node_type, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(matched.other_node_types, "the model does not know the node types z");
  EXPECT_EQ(match(typed({"w", "u"}, {1, 0}), schema).other_node_types, "");
  EXPECT_EQ(match(typed({}, {}), schema).other_node_types,
            "it does not say the types of its nodes");
  EXPECT_EQ(message_of<UsageError>([&] {
              match(typed({"v"}, {0, 0}), schema);
            }),
            "tiny does not fit the model: it has no nodes of type u, w");
  // Of older models nothing is known.
  DataSchema older = schema;
  older.all_node_types.clear();
  EXPECT_EQ(match(typed({"z", "w"}, {1, 0}), older).data->graph()->node_type,
            (std::vector<int32_t>{1, 0}));
}

TEST(Match, LabelsAreReadByTheModelsNames) {
  DataSchema schema = schema_of(Data(tiny({"a"}, false)), false);  // classes x, y
  Dataset other = tiny({"a"}, false);
  other.labels.names = {"y", "new", "x"};
  other.labels.cls = {0, 1};
  Labels labels = match(Data(other), schema).data->labels();
  EXPECT_EQ(labels.names, (Names{"x", "y"}));
  EXPECT_EQ(labels.cls, (std::vector<int32_t>{1, kNoLabel}));

  schema.labels = LabelKind::kValues;
  schema.label_names = {"p", "q"};
  other.labels = {
      .kind = LabelKind::kValues, .num_rows = 2, .names = {"q", "r"}, .value = {1, 2, 3, 4}};
  labels = match(Data(other), schema).data->labels();
  EXPECT_TRUE(std::isnan(labels.at(0, 0)));
  EXPECT_EQ(labels.at(0, 1), 1.0);
  EXPECT_EQ(labels.at(1, 1), 3.0);

  other.labels = no_labels(2);
  labels = match(Data(other), schema).data->labels();
  EXPECT_EQ(labels.kind, LabelKind::kValues);
  EXPECT_EQ(labels.num_known(), 0);
}

TEST(Match, OnlyNodesOfTheModelsTypesArePredicted) {
  Dataset typed = tiny({"a"}, false);
  typed.node_type_names = {"book", "reader"};
  typed.node_type = {1, 0};
  DataSchema schema = schema_of(Data(typed), false);
  schema.node_types = {"reader"};
  typed.labels = no_labels(2);
  EXPECT_EQ(match(Data(typed), schema).rows, (std::vector<int32_t>{0}));
}

TEST(Match, MoleculesNeedNoTarget) {
  MoleculeTable table{.name = "t"};
  table.molecules.atom_begin = {0, 1, 2};
  table.molecules.bond_begin = {0, 0, 0};
  table.row = {1, 2};
  const Data data(std::make_shared<const MoleculeTable>(table), {});
  const DataSchema schema{.labels = LabelKind::kValues, .label_names = {"y"}};
  const MatchedData matched = match(data, schema);
  EXPECT_EQ(matched.rows, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(matched.data->labels().num_rows, 2);
  EXPECT_EQ(matched.data->labels().num_known(), 0);
}

// By node: the class probabilities as printed.
std::map<std::string, Names> probabilities(const std::string& csv) {
  CsvTable table(csv, "predictions");
  const size_t node = table.require("node"), blue = table.require("p(blue)"),
               red = table.require("p(red)");
  std::map<std::string, Names> out;
  while (table.next())
    out[std::string(table.field(node))] = {std::string(table.field(blue)),
                                           std::string(table.field(red))};
  return out;
}

// Float sums over neighbours in another order: six digits are printed, the last may differ.
void expect_close(const std::map<std::string, Names>& a, const std::map<std::string, Names>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [node, p] : a)
    for (size_t c = 0; c < p.size(); ++c)
      EXPECT_NEAR(std::stod(p[c]), std::stod(b.at(node)[c]), 1e-5) << node;
}

class MatchedPrediction : public ::testing::Test {
 protected:
  void train(const std::string& method) {
    RunRequest request = small_request(SmallGraph{}.write(place_, "graph"), method);
    request.out = place_ / "run";
    RunsObserver quiet;
    fit_runs(request, quiet);
  }
  PredictedTable predict_on(const std::string& folder) {
    return predict({.run = place_ / "run", .dataset = folder, .context = Context(2)});
  }
  std::string refused_on(const SmallGraph& graph) {
    const std::string folder = graph.write(place_, "refused");
    return message_of<UsageError>([&] { predict_on(folder); });
  }

  Workplace place_;
};

TEST_F(MatchedPrediction, OnTheRunsOwnDataIsItsOwn) {
  train("em-gcn");
  EXPECT_EQ(predict_on("").csv, place_.read("run/predictions.csv"));
}

TEST_F(MatchedPrediction, DoesNotDependOnTheOrderOfColumnsOrEdgeTypes) {
  train("em-gcn");
  const auto expected = probabilities(place_.read("run/predictions.csv"));
  const PredictedTable columns =
      predict_on(SmallGraph{.features = {"c", "a", "b"}}.write(place_, "x"));
  EXPECT_EQ(probabilities(columns.csv), expected);
  EXPECT_TRUE(columns.notes.empty());
  EXPECT_EQ(probabilities(
                predict_on(SmallGraph{.edge_types = {"knows", "likes"}}.write(place_, "y")).csv),
            expected);
  expect_close(probabilities(predict_on(SmallGraph{.reversed = true}.write(place_, "z")).csv),
               expected);
}

TEST_F(MatchedPrediction, NotesWhatTheModelDoesNotKnowAndRefusesWhatIsMissing) {
  train("em-gcn");
  const SmallGraph more{.features = {"a", "b", "c", "d"},
                        .edge_types = {"likes", "hates", "knows"}};
  const PredictedTable table = predict_on(more.write(place_, "more"));
  EXPECT_EQ(probabilities(table.csv), probabilities(place_.read("run/predictions.csv")));
  ASSERT_EQ(table.notes.size(), 2U);
  EMGNN_EXPECT_PART(table.notes[0], "the model does not know the edge types hates: left out");
  EMGNN_EXPECT_PART(table.notes[1], "the model does not know the features d: left out");
  EMGNN_EXPECT_PART(refused_on({.features = {"a", "c"}}), "it lacks the features b");
  EMGNN_EXPECT_PART(refused_on({.edge_types = {"likes"}}), "it lacks the edge types knows");
}

TEST_F(MatchedPrediction, WeightsOfNodesFollowTheirIds) {
  for (const char* method : {"acm-gcn+", "label-propagation"}) {
    train(method);
    const auto expected = probabilities(place_.read("run/predictions.csv"));
    expect_close(probabilities(predict_on(SmallGraph{.reversed = true}.write(place_, "z")).csv),
                 expected);
    EMGNN_EXPECT_PART(
        refused_on({.more_nodes = "stranger,red,test,1,1,1\n"}),
        "it has weights for the nodes it was trained on, and stranger is none of them");
    std::filesystem::remove_all(place_ / "run");
  }
}

TEST_F(MatchedPrediction, IsScoredByTheModelsNamesOfTheClasses) {
  train("em-gcn");
  const auto evaluated = [&](const std::string& folder) {
    return evaluate({.run = place_ / "run", .dataset = folder, .context = Context(2)});
  };
  const Evaluation own = evaluated("");
  ASSERT_EQ(own.parts.size(), 3U);
  double correct = 0.0;
  for (const Evaluation::Part& part : own.parts)
    correct += part.scores.scores.at("accuracy") * static_cast<double>(part.rows);
  // From the last node to the first, red comes before blue.
  const Evaluation other =
      evaluated(SmallGraph{.reversed = true, .with_split = false}.write(place_, "z"));
  ASSERT_EQ(other.parts.size(), 1U);
  EXPECT_EQ(other.parts[0].name, "all");
  EXPECT_EQ(other.parts[0].rows, SmallGraph::kNodes);
  EXPECT_NEAR(other.parts[0].scores.scores.at("accuracy"), correct / SmallGraph::kNodes, 1e-12);
}

TEST_F(MatchedPrediction, NeedsNoLabelsButScoringDoes) {
  train("gcn");
  SmallGraph graph;
  graph.write(place_, "bare");
  std::string nodes = "id,a,b,c\n";
  for (int v = 0; v < SmallGraph::kNodes; ++v) {
    nodes += fmt::format("n{}", v);
    for (const std::string& name : graph.features)
      nodes += fmt::format(",{:.4f}", graph.feature(v, name));
    nodes += "\n";
  }
  place_.write("bare/nodes.csv", nodes);
  const std::string bare = (place_ / "bare").string();
  EXPECT_EQ(probabilities(predict_on(bare).csv), probabilities(place_.read("run/predictions.csv")));
  EMGNN_EXPECT_PART(message_of<UsageError>([&] {
                      evaluate({.run = place_ / "run", .dataset = bare, .context = Context(2)});
                    }),
                    "no row has a label that the model knows");
}

}  // namespace
}  // namespace emgnn
