// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/metapaths.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "../base/with_threads.h"
#include "small_graph.h"

#include <emgnn/base/error.h>
#include <emgnn/data/data.h>

namespace emgnn {
namespace {

using Matrix = std::vector<std::vector<double>>;
using Names = std::vector<std::string>;

Matrix zeros(size_t rows, size_t cols) { return Matrix(rows, std::vector<double>(cols, 0.0)); }

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out = zeros(a.size(), b.front().size());
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      for (size_t c = 0; c < b[j].size(); ++c) out[i][c] += a[i][j] * b[j][c];
  return out;
}

Matrix dense(const Features& x) {
  Matrix out = zeros(static_cast<size_t>(x.num_rows), static_cast<size_t>(x.num_cols));
  for (int32_t i = 0; i < x.num_rows; ++i) {
    auto& row = out[static_cast<size_t>(i)];
    if (x.is_sparse)
      for (const auto [e, c] : x.sparse.row(i)) row[static_cast<size_t>(c)] += x.sparse.value(e);
    for (int32_t c = 0; !x.is_sparse && c < x.num_cols; ++c)
      row[static_cast<size_t>(c)] = x.dense[static_cast<size_t>(i * x.num_cols + c)];
  }
  return out;
}

// Types are told apart where there are several; type 1 has all labels.
Dataset graph_of(int32_t nodes, int relations, int32_t types) {
  Dataset out = *data_of(small_graph(nodes, relations, 2 * nodes, 4), 3);
  for (int32_t t = 0; types > 1 && t < types; ++t)
    out.node_type_names.push_back("t" + std::to_string(t));
  out.labels = unknown_classes(nodes, {"a", "b", "c"});
  for (int32_t v = 0; v < nodes; ++v) {
    const int32_t type = v * 7 % 5 % types;
    if (types > 1) out.node_type.push_back(type);
    if (types == 1 || type == 1) out.labels.cls[static_cast<size_t>(v)] = v % 3;
  }
  return out;
}

std::vector<int32_t> targets(const Dataset& data) {
  return rows_of_types(data, labelled_types(data));
}

// The product of the row means of the steps, [nodes, nodes].
Matrix walk(const Dataset& data, const Metapath& path) {
  const auto n = static_cast<size_t>(data.graph.num_nodes);
  Matrix out = zeros(n, n);
  for (size_t i = 0; i < n; ++i) out[i][i] = 1.0;
  for (const Metapath::Step& step : path.steps) {
    Matrix mean = zeros(n, n);
    const Csr& a = data.graph.relations[static_cast<size_t>(step.relation)].adjacency;
    for (int32_t i = 0; i < a.num_rows; ++i) {
      double total = 0.0;
      for (const auto [e, j] : a.row(i)) {
        const auto at = static_cast<size_t>(j);
        if (!data.node_type.empty() && data.node_type[at] != step.type) continue;
        mean[static_cast<size_t>(i)][at] = a.value(e);
        total += a.value(e);
      }
      for (double& value : mean[static_cast<size_t>(i)])
        if (total > 0.0) value /= total;
    }
    out = product(out, mean);
  }
  return out;
}

// Sums of a few dozen float64 products, rounded to float32 once.
void expect_rows(const Features& got, const Matrix& want, const std::vector<int32_t>& rows) {
  const Matrix found = dense(got);
  ASSERT_EQ(found.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t c = 0; c < found[i].size(); ++c)
      EXPECT_NEAR(found[i][c], want[static_cast<size_t>(rows[i])][c], 2e-7) << i << " " << c;
}

// A movie graph: movies 0-2 (labelled), directors 3-4, actors 5-6.
Dataset movies() {
  Dataset out{.name = "movies"};
  out.graph.num_nodes = 7;
  const auto relation = [](const std::vector<int32_t>& from, const std::vector<int32_t>& to) {
    return symmetrise(csr_from_coo(7, 7, {from, to, {}}, Duplicates::kSum));
  };
  out.graph.relations = {{"MD", relation({0, 1, 2}, {3, 3, 4})},
                         {"MA", relation({0, 0, 1, 2}, {5, 6, 5, 6})}};
  out.node_type_names = {"movie", "director", "actor"};
  out.node_type = {0, 0, 0, 1, 1, 2, 2};
  out.features = {
      .num_rows = 7, .num_cols = 1, .is_sparse = false, .dense = {1, 2, 4, 8, 16, 32, 64}};
  out.labels = unknown_classes(7, {"x", "y"});
  out.labels.cls = {0, 1, 1, kNoLabel, kNoLabel, kNoLabel, kNoLabel};
  return out;
}

Names names_of(const std::vector<Metapath>& paths) {
  Names out;
  for (const Metapath& path : paths) out.push_back(path.name);
  return out;
}

TEST(Metapaths, AreAllWalksOverTypesThatEdgesJoin) {
  const Dataset data = movies();
  const MetapathWalks walks(data, targets(data));
  EXPECT_EQ(names_of(walks.paths(2)),
            (Names{"movie", "movie-MD-director", "movie-MA-actor", "movie-MD-director-MD-movie",
                   "movie-MA-actor-MA-movie"}));
  EXPECT_EQ(walks.paths(4).size(), 13U);  // as in the published program
  EXPECT_EQ(walks.cycles(4).size(), 6U);
  EXPECT_EQ(names_of(walks.cycles(3)),
            (Names{"movie-MD-director-MD-movie", "movie-MA-actor-MA-movie"}));
  EXPECT_TRUE(walks.cycles(0).empty());
}

TEST(Metapaths, WithoutTypesOfNodesAreSequencesOfEdgeTypes) {
  Dataset data = movies();
  data.node_type.clear();
  data.node_type_names.clear();
  const MetapathWalks walks(data, targets(data));
  EXPECT_EQ(walks.rows().size(), 7U);
  EXPECT_EQ(names_of(walks.paths(1)), (Names{"self", "self-MD", "self-MA"}));
  EXPECT_EQ(walks.paths(3).size(), 1U + 2U + 4U + 8U);
  EXPECT_EQ(walks.cycles(2).size(), 6U);
  // So they are where labels are of several types.
  Dataset two = movies();
  two.labels.cls[3] = 0;
  EXPECT_EQ(MetapathWalks(two, targets(two)).paths(1).size(), 3U);
}

TEST(Metapaths, AverageOverTheEndsOfWalks) {
  const Dataset data = movies();
  const MetapathWalks walks(data, targets(data));
  const std::vector<Metapath> paths = walks.paths(2);
  const Matrix self = dense(walks.features(paths[0])), directors = dense(walks.features(paths[1])),
               actors = dense(walks.features(paths[2])), peers = dense(walks.features(paths[4]));
  EXPECT_EQ(self, (Matrix{{1}, {2}, {4}}));
  EXPECT_EQ(directors, (Matrix{{8}, {8}, {16}}));
  EXPECT_EQ(actors, (Matrix{{48}, {32}, {64}}));
  // Movie 0 has actors 5 (movies 0 and 1) and 6 (movies 0 and 2): 1/2, 1/4, 1/4.
  EXPECT_EQ(peers, (Matrix{{2}, {1.5}, {2.5}}));
}

TEST(Metapaths, DoNotStoreTheZerosOfDenseFeatures) {
  Dataset data = graph_of(12, 1, 1);
  constexpr int32_t kColumns = 50;  // one number in each row
  data.features = {.num_rows = 12, .num_cols = kColumns, .is_sparse = false};
  data.features.dense.assign(12 * kColumns, 0.0F);
  for (size_t v = 0; v < 12; ++v) data.features.dense[v * kColumns + 2 * v] = 1.0F;
  const MetapathWalks walks(data, targets(data));
  const Features own = walks.features(walks.paths(0).front());
  ASSERT_TRUE(own.is_sparse);
  EXPECT_EQ(own.sparse.num_entries(), 12);
}

TEST(Metapaths, LeaveOutTheOwnLabelAndAllThatAreNotForTraining) {
  const Dataset data = movies();
  const MetapathWalks walks(data, targets(data));
  const Metapath peers = walks.cycles(2)[1];
  EXPECT_EQ(dense(walks.labels(peers, std::vector<int32_t>{0, 1, 2})),
            (Matrix{{0, 0.5}, {0.5, 0}, {0.5, 0}}));
  EXPECT_EQ(dense(walks.labels(peers, std::vector<int32_t>{1})),
            (Matrix{{0, 0.25}, {0, 0}, {0, 0}}));
}

// As when a stored model does not know the class of a row that is for training.
TEST(Metapaths, ATrainingRowWithoutALabelAddsNothing) {
  Dataset data = movies();
  data.labels.cls[0] = data.labels.cls[2] = kNoLabel;
  const MetapathWalks walks(data, {0, 1, 2});
  const Metapath peers = walks.cycles(2)[1];
  EXPECT_EQ(dense(walks.labels(peers, std::vector<int32_t>{0, 1, 2})),
            (Matrix{{0, 0.25}, {0, 0}, {0, 0}}));
}

struct Setting {
  int relations;
  int32_t types;
  bool sparse;

  friend std::ostream& operator<<(std::ostream& to, const Setting& s) {
    return to << s.relations << " relations, " << s.types << " types"
              << (s.sparse ? ", sparse" : "");
  }
};
class MetapathsTest : public testing::TestWithParam<Setting> {
 protected:
  MetapathsTest() {
    data_ = graph_of(23, GetParam().relations, GetParam().types);
    if (!GetParam().sparse) return;
    Coo entries;
    for (int32_t v = 0; v < 23; v += 2) {
      entries.row.push_back(v);
      entries.col.push_back(v % 40);
      entries.val.push_back(static_cast<float>(v) - 7.5F);
    }
    data_.features = {.num_rows = 23, .num_cols = 300};
    data_.features.sparse = csr_from_coo(23, 300, entries, Duplicates::kSum);
  }
  // Steps of which there are not too many sequences.
  static int64_t hops() { return GetParam().relations * GetParam().types > 4 ? 2 : 3; }

  Dataset data_;
  const std::vector<int32_t> train_ = {0, 1, 4, 6, 8, 11, 13, 16, 18, 21};
};

TEST_P(MetapathsTest, FeaturesAreProductsOfRowMeans) {
  const MetapathWalks walks(data_, targets(data_));
  const std::vector<Metapath> paths = walks.paths(2);
  EXPECT_GE(paths.size(), 3U);
  for (const Metapath& path : paths) {
    const Features got = walks.features(path);
    EXPECT_EQ(got.is_sparse, GetParam().sparse);
    expect_rows(got, product(walk(data_, path), dense(data_.features)), walks.rows());
  }
}

TEST_P(MetapathsTest, LabelsAreProductsWithoutTheDiagonal) {
  const MetapathWalks walks(data_, targets(data_));
  std::vector<int32_t> train;
  for (int32_t v : train_)
    if (data_.labels.known(v)) train.push_back(v);
  Matrix known = zeros(23, 3);
  for (int32_t v : train)
    known[static_cast<size_t>(v)][static_cast<size_t>(data_.labels.cls[static_cast<size_t>(v)])] =
        1;
  for (const Metapath& path : walks.cycles(hops())) {
    Matrix p = walk(data_, path);
    for (size_t i = 0; i < p.size(); ++i) p[i][i] = 0.0;
    expect_rows(walks.labels(path, train), product(p, known), walks.rows());
  }
}

TEST_P(MetapathsTest, NoLabelIsInTheBlocksThatMayNotKnowIt) {
  const MetapathWalks walks(data_, targets(data_));
  std::vector<int32_t> train;
  for (int32_t v : train_)
    if (data_.labels.known(v)) train.push_back(v);
  ASSERT_GE(train.size(), 2U);
  Dataset other = data_;
  for (int32_t v : walks.rows())  // of nodes that are not for training
    if (std::find(train.begin(), train.end(), v) == train.end())
      other.labels.cls[static_cast<size_t>(v)] = (data_.labels.cls[static_cast<size_t>(v)] + 1) % 3;
  const int32_t node = train[1];  // and of one that is
  other.labels.cls[static_cast<size_t>(node)] =
      (data_.labels.cls[static_cast<size_t>(node)] + 1) % 3;
  const MetapathWalks others(other, targets(other));
  for (const Metapath& path : walks.cycles(hops())) {
    const Matrix before = dense(walks.labels(path, train)),
                 after = dense(others.labels(path, train));
    const Matrix p = walk(data_, path);
    for (size_t i = 0; i < walks.rows().size(); ++i) {
      const auto row = static_cast<size_t>(walks.rows()[i]);
      const bool sees = walks.rows()[i] != node && p[row][static_cast<size_t>(node)] > 0.0;
      EXPECT_EQ(before[i] != after[i], sees) << path.name << " row " << row;
    }
  }
}

TEST_P(MetapathsTest, BitsDoNotDependOnThreads) {
  Dataset large = graph_of(400, GetParam().relations, GetParam().types);
  const MetapathWalks walks(large, targets(large));
  const Metapath path = walks.cycles(2).back();
  const auto run = [&] { return dense(walks.features(path)); };
  EXPECT_EQ(with_threads(1, run), with_threads(4, run));
}

INSTANTIATE_TEST_SUITE_P(Graphs, MetapathsTest,
                         testing::Values(Setting{1, 1, false}, Setting{5, 1, false},
                                         Setting{2, 3, false}, Setting{5, 2, false},
                                         Setting{2, 2, true}));

TEST(Metapaths, TooManyAreRefused) {
  const Dataset data = graph_of(23, 5, 1);
  const MetapathWalks walks(data, targets(data));
  EXPECT_EQ(walks.paths(3).size(), 1U + 5U + 25U + 125U);
  EXPECT_THROW(walks.paths(4), UsageError);
}

TEST(Metapaths, OfValuesAndLabelsLeaveOutWhatIsNotKnown) {
  Dataset data = movies();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  data.labels = {.kind = LabelKind::kValues,
                 .num_rows = 7,
                 .names = {"v"},
                 .cls = {},
                 .value = {10, 20, nan, nan, nan, nan, nan}};
  const std::vector<int32_t> train = {0, 1};
  {
    const MetapathWalks walks(data, targets(data));
    // The mean is 15 and the standard deviation 5; movie 1 is a quarter of movie 0's peers.
    EXPECT_EQ(dense(walks.labels(walks.cycles(2)[1], train)), (Matrix{{0.25}, {-0.5}, {-0.5}}));
  }
  data.labels.kind = LabelKind::kLabels;
  data.labels.value = {1, 0, nan, nan, nan, nan, nan};
  const MetapathWalks walks(data, targets(data));
  EXPECT_EQ(dense(walks.labels(walks.cycles(2)[1], train)), (Matrix{{0}, {0.5}, {0.5}}));
}

}  // namespace
}  // namespace emgnn
