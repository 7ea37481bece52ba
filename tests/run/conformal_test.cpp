// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/conformal.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/run/load.h>
#include <emgnn/run/predictions.h>

namespace emgnn {
namespace {

const double kUnknown = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

// A path 0 – 1 – 2 – … with these labels.
Data path_with(Labels labels) {
  Dataset graph{.name = "path"};
  const auto n = static_cast<int32_t>(labels.num_rows);
  graph.graph.num_nodes = n;
  Coo edges;
  for (int32_t i = 0; i + 1 < n; ++i) {
    edges.row.insert(edges.row.end(), {i, i + 1});
    edges.col.insert(edges.col.end(), {i + 1, i});
  }
  graph.graph.relations = {{"next", csr_from_coo(n, n, edges, Duplicates::kKeepFirst)}};
  graph.labels = std::move(labels);
  return Data(std::move(graph));
}

Data classes_of(std::vector<int32_t> cls) {
  const auto n = static_cast<int64_t>(cls.size());
  return path_with(
      {.kind = LabelKind::kClasses, .num_rows = n, .names = {"x", "y;z"}, .cls = std::move(cls)});
}

// p(x) of each row.
Prediction predicted(const std::vector<double>& p) {
  Prediction out{.width = 2};
  for (size_t i = 0; i < p.size(); ++i) {
    out.rows.push_back(static_cast<int32_t>(i));
    out.value.insert(out.value.end(), {std::log(p[i]), std::log(1.0 - p[i])});
    out.graph_part.push_back(0.0);
    out.noise.push_back(0.0);
  }
  return out;
}

double share(uint64_t seed, uint64_t entry) {
  return Rng(seed, Stream::kRowSample, entry, 2).uniform();
}

TEST(CalibrationScores, OfClassesAreThoseOfTheRightOnes) {
  const Data data = classes_of({0, 1, 0, 1});
  const Prediction prediction = predicted({0.75, 0.75, 0.25, 0.5});
  const std::vector<int32_t> rows = {0, 1};
  const CalibrationScores got = calibration_scores(data, prediction, rows, 5);
  // [row][class]: the likelier class has u p, the other the likelier's p and its own share.
  double s[4][2];
  const double p[] = {0.75, 0.75, 0.25, 0.5};
  for (size_t i = 0; i < 4; ++i) {
    const double u = share(5, i), q = 1.0 - p[i];
    s[i][0] = p[i] >= q ? u * p[i] : q + u * p[i];
    s[i][1] = p[i] >= q ? p[i] + u * q : u * q;
  }
  const auto sorted = [](double a, double b) {
    return std::vector<double>{std::min(a, b), std::max(a, b)};
  };
  ASSERT_EQ(got.size(), 2U);
  for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(got.at("aps")[k], sorted(s[0][0], s[1][1])[k], 1e-15);
  const double first = 0.5 * s[0][0] + 0.5 * s[1][0];
  const double second = 0.5 * s[1][1] + 0.25 * (s[0][1] + s[2][1]);
  for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(got.at("daps")[k], sorted(first, second)[k], 1e-15);
}

TEST(CalibrationScores, OfValuesAreErrorsInTheUnitOfTheSpread) {
  const Data data = path_with({.kind = LabelKind::kValues,
                               .num_rows = 2,
                               .names = {"u", "v"},
                               .value = {1, kUnknown, 2, 5}});
  Prediction prediction{
      .rows = {0, 1}, .width = 2, .value = {1.5, 0, 1, 1}, .graph_part = {0, 0, 0, 0}};
  const std::vector<int32_t> rows = {0, 1};
  const CalibrationScores errors = calibration_scores(data, prediction, rows, 0);
  EXPECT_EQ(errors, (CalibrationScores{{"error/0", {0.5, 1.0}}, {"error/1", {4.0}}}));
  prediction.std = {0.25, 1, 1, 2};
  EXPECT_EQ(calibration_scores(data, prediction, rows, 0),
            (CalibrationScores{{"spread/0", {1.0, 2.0}}, {"spread/1", {2.0}}}));
}

TEST(CalibrationScores, AreStoredWithAModel) {
  const CalibrationScores scores = {{"aps", {0.25, 0.5}}, {"daps", {0.125}}};
  TensorArchive archive;
  archive.tensors["weight/w"] = TensorData::from<double>(std::vector<double>{1.0}, {1});
  store(scores, archive);
  const TensorArchive again = decode_tensors(encode_tensors(archive), "model");
  EXPECT_EQ(stored_calibration(again), scores);
  EXPECT_TRUE(stored_calibration({}).empty());
}

TEST(PredictedSets, HoldTheClassesThatAreNotTooOdd) {
  const Data data = classes_of({0, 1, kNoLabel});
  const Prediction prediction = predicted({0.9, 0.9, 0.5});
  // Every right score was 0.9 at most: of a row with p = (0.9, 0.1) x is in, and never the other.
  const CalibrationScores scores = {{"aps", std::vector<double>(9, 0.9)}};
  const PredictedSets sets = predicted_sets(data, prediction, scores, {.level = 0.9, .seed = 7});
  const bool second = 0.5 + 0.5 * share(7, 2) <= 0.9;
  EXPECT_EQ(sets.in, (std::vector<char>{1, 0, 1, 0, 1, second ? char{1} : char{0}}));
  EXPECT_EQ(sets.size_of(0), 1);
  const RowCoverage got = coverage_of(sets, prediction, data.labels());
  EXPECT_EQ(got.covered[0], 1.0);
  EXPECT_EQ(got.covered[1], 0.0);
  EXPECT_TRUE(std::isnan(got.covered[2]) && std::isnan(got.size[2]));
  EXPECT_EQ(got.size[1], 1.0);
}

TEST(PredictedSets, OfValuesAreIntervals) {
  const Data data =
      path_with({.kind = LabelKind::kValues, .num_rows = 2, .names = {"u"}, .value = {1.25, 9}});
  Prediction prediction{.rows = {0, 1}, .width = 1, .value = {1, 2}, .graph_part = {0, 0}};
  const CalibrationScores scores = {{"error/0", {0.5}}, {"spread/0", {2.0}}};
  const PredictedSets plain = predicted_sets(data, prediction, scores, {.level = 0.5});
  EXPECT_EQ(plain.lower, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(plain.upper, (std::vector<double>{1.5, 2.5}));
  const RowCoverage got = coverage_of(plain, prediction, data.labels());
  EXPECT_EQ(got.covered, (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(got.size, (std::vector<double>{1.0, 1.0}));
  prediction.noise = prediction.std = {0.25, 4.0};
  const PredictedSets scaled = predicted_sets(data, prediction, scores, {.level = 0.5});
  EXPECT_EQ(scaled.lower, (std::vector<double>{0.5, -6.0}));
  EXPECT_EQ(scaled.upper, (std::vector<double>{1.5, 10.0}));
  EXPECT_EQ(predictions_csv(data, prediction, {.calibration = {1}, .sets = &scaled}),
            "node,split,target,value,graph_std,network_std,noise_std,std,lower,upper\n"
            "0,,1.25,1,0,0,0.25,0.25,0.5,1.5\n"
            "1,calibration,9,2,0,0,4,4,-6,10\n");
}

TEST(PredictedSets, OfLabelsSayYesOrNoOrBothOfEach) {
  const Data data = path_with({.kind = LabelKind::kLabels,
                               .num_rows = 2,
                               .names = {"a", "b"},
                               .value = {1, 0, 0, kUnknown}});
  const Prediction prediction{.rows = {0, 1},
                              .width = 2,
                              .value = {0.9, 0.5, 0.9, 0.1},
                              .graph_part = {0, 0, 0, 0},
                              .noise = {0, 0, 0, 0}};
  const CalibrationScores scores = {{"label/0", {0.9}}, {"label/1", {1.0}}};
  const PredictedSets sets = predicted_sets(data, prediction, scores, {.level = 0.5});
  EXPECT_EQ(sets.in, (std::vector<char>{0, 1, 1, 1, 0, 1, 1, 1}));
  const RowCoverage got = coverage_of(sets, prediction, data.labels());
  EXPECT_EQ(got.covered, (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(got.size, (std::vector<double>{1.5, 1.0}));
  const std::string csv = predictions_csv(data, prediction, {.sets = &sets});
  EXPECT_NE(csv.find("mean_entropy(a),set(a),p(b)"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0;1\n"), std::string::npos) << csv;
}

TEST(PredictedSets, OfClassesAreNamedInTheTable) {
  const Data data = classes_of({0, 1});
  const Prediction prediction = predicted({0.5, 0.5});
  const CalibrationScores all = {{"aps", {kInfinity}}}, none = {{"aps", {-1.0}}};
  const auto table = [&](const CalibrationScores& scores) {
    const PredictedSets sets = predicted_sets(data, prediction, scores, {.level = 0.5});
    return predictions_csv(data, prediction, {.sets = &sets});
  };
  EXPECT_NE(table(all).find("mean_entropy,set,set_size\n"), std::string::npos);
  EXPECT_NE(table(all).find(",x;y;z,2\n"), std::string::npos) << table(all);
  EXPECT_NE(table(none).find(",,0\n"), std::string::npos) << table(none);
}

std::string refusal(const Data& data, const Prediction& prediction, const CalibrationScores& scores,
                    const SetRequest& request) {
  try {
    predicted_sets(data, prediction, scores, request);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(PredictedSets, SayWhatTheyNeed) {
  const Data data = classes_of({0, 1});
  const Prediction prediction = predicted({0.5, 0.5});
  EXPECT_NE(refusal(data, prediction, {}, {}).find("no calibration rows"), std::string::npos);
  EXPECT_EQ(refusal(data, prediction, {{"aps", std::vector<double>(8, 0.5)}}, {}),
            "--level 0.9: needs 9 calibration rows, the model has 8");
  const Data values =
      path_with({.kind = LabelKind::kValues, .num_rows = 2, .names = {"u"}, .value = {1.25, 9}});
  EXPECT_EQ(refusal(values, prediction, {}, {.form = SetForm::kDaps}),
            "--sets daps: is for classes of nodes");
}

std::shared_ptr<const Data> load_with(double share, uint64_t seed, std::vector<int32_t>& aside) {
  DataOptions options;
  options.calibration_share = share;
  DataSource source({.dataset = "noisy-relations", .options = options, .seed = seed});
  const auto data = source.load(0);
  aside = source.calibration();
  return data;
}

TEST(CalibrationShare, TakesValidationRowsOutOfTheSplit) {
  std::vector<int32_t> none, aside, again, other;
  const auto whole = load_with(0.0, 3, none), less = load_with(0.25, 3, aside);
  load_with(0.25, 3, again);
  load_with(0.25, 4, other);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(aside, again);
  EXPECT_NE(aside, other);
  const std::vector<int32_t>& before = whole->split().validation;
  EXPECT_EQ(aside.size(), static_cast<size_t>(std::llround(0.25 * before.size())));
  std::vector<int32_t> both = less->split().validation;
  both.insert(both.end(), aside.begin(), aside.end());
  std::sort(both.begin(), both.end());
  EXPECT_EQ(both, before);
  EXPECT_EQ(less->split().train, whole->split().train);
  EXPECT_EQ(less->split().test, whole->split().test);
  EXPECT_THROW(load_with(0.0001, 3, none), UsageError);
}

}  // namespace
}  // namespace emgnn
