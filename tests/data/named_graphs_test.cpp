// SPDX-License-Identifier: Apache-2.0
// blogcatalog, flickr and yeast against data that was counted independently of this code.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/data/default_features.h>
#include <emgnn/data/fetch.h>
#include <emgnn/data/registry.h>
#include <emgnn/data/verify.h>

#include "data/expect_error.h"
#include "data/real_request.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::request;

std::vector<int64_t> class_counts(const Dataset& dataset, const std::vector<int32_t>& ids) {
  std::vector<int64_t> counts(dataset.labels.names.size(), 0);
  for (const int32_t id : ids)
    ++counts[static_cast<size_t>(dataset.labels.cls[static_cast<size_t>(id)])];
  return counts;
}

// Of the edges of one relation between labelled nodes, those within a class.
double share_within_class(const Dataset& dataset, size_t relation) {
  const Csr& a = dataset.graph.relations[relation].adjacency;
  int64_t same = 0, all = 0;
  for (int32_t r = 0; r < a.num_rows; ++r) {
    for (int32_t k = a.rowptr[static_cast<size_t>(r)]; k < a.rowptr[static_cast<size_t>(r) + 1];
         ++k) {
      const int32_t one = dataset.labels.cls[static_cast<size_t>(r)],
                    two = dataset.labels.cls[static_cast<size_t>(a.col[static_cast<size_t>(k)])];
      if (one == kNoLabel || two == kNoLabel) continue;
      ++all;
      same += one == two ? 1 : 0;
    }
  }
  return static_cast<double>(same) / static_cast<double>(all);
}

struct SocialCase {
  const char* name;
  int32_t nodes, features;
  int64_t links, ones;
  double within_class;
  std::vector<int64_t> classes;
  std::vector<int32_t> first_validation;  // a draw that must never change
};

void expect_social(const SocialCase& c) {
  const DatasetSummary summary = summarise_dataset(request(c.name));
  EXPECT_EQ(summary.nodes, c.nodes);
  EXPECT_EQ(summary.edges, (std::vector<std::pair<std::string, int64_t>>{{"follow", c.links}}));
  EXPECT_NEAR(summary.homophily.value(), c.within_class, 5e-3);
  EXPECT_EQ(summary.duplicates, 0);
  EXPECT_EQ(summary.self_loops, 0);
  const Dataset d = load_dataset(request(c.name));
  EXPECT_TRUE(is_symmetric(d.graph.relations[0].adjacency));
  EXPECT_EQ(d.features.num_cols, c.features);
  EXPECT_EQ(d.features.sparse.num_entries(), c.ones);
  EXPECT_TRUE(d.features.sparse.val.empty());
  EXPECT_EQ(class_counts(d, d.labels.known_rows()), c.classes);
  ASSERT_EQ(d.split.validation.size(), 500U);
  EXPECT_EQ(std::vector(d.split.validation.begin(), d.split.validation.begin() + 5),
            c.first_validation);
  EXPECT_EQ(d.split.test.size(), 1000U);
  for (const int64_t k : {20, 40, 60}) {
    const Dataset more = load_dataset(request(c.name, fmt::format("labels-per-class:{}", k)));
    EXPECT_EQ(class_counts(more, more.split.train), std::vector<int64_t>(c.classes.size(), k));
    EXPECT_TRUE(std::includes(more.split.train.begin(), more.split.train.end(),
                              d.split.train.begin(), d.split.train.end()));
    EXPECT_EQ(more.split.validation, d.split.validation);
    EXPECT_EQ(more.split.test, d.split.test);
  }
}

TEST(SocialDatasets, BlogCatalogHasItsPublishedCounts) {
  EMGNN_NEEDS_FILE("am-gcn/BlogCatalog.zip");
  expect_social({"blogcatalog",
                 5196,
                 8189,
                 171743,
                 369435,
                 0.40,
                 {885, 777, 921, 858, 892, 863},
                 {1, 5, 6, 9, 16}});
}

TEST(SocialDatasets, FlickrHasItsPublishedCounts) {
  EMGNN_NEEDS_FILE("am-gcn/flickr.zip");
  expect_social({"flickr",
                 7575,
                 12047,
                 239738,
                 182517,
                 0.24,
                 {834, 799, 856, 801, 795, 888, 843, 876, 883},
                 {11, 29, 33, 44, 52}});
}

TEST(Yeast, HasItsPublishedCounts) {
  EMGNN_NEEDS_FILE("yeast/nodes.csv");
  const Dataset d = load_dataset(request("yeast"));
  EXPECT_EQ(d.graph.num_nodes, 2617);
  EXPECT_EQ(d.labels.num_known(), 2019);
  EXPECT_EQ(d.labels.names,
            (std::vector<std::string>{"A", "B", "C", "D", "E", "F", "G", "M", "O", "P", "R", "T"}));
  EXPECT_EQ(class_counts(d, d.labels.known_rows()),
            (std::vector<int64_t>{60, 109, 148, 261, 99, 200, 101, 295, 193, 256, 48, 249}));
  ASSERT_EQ(d.graph.relations.size(), 2U);
  EXPECT_EQ(d.graph.relations[0].name, "high");
  EXPECT_EQ(d.graph.relations[1].name, "medium");
  EXPECT_EQ(d.graph.relations[0].adjacency.num_entries(), 2 * 2455);
  EXPECT_EQ(d.graph.relations[1].adjacency.num_entries(), 2 * 9400);
  EXPECT_NEAR(share_within_class(d, 0), 0.597, 5e-4);
  EXPECT_NEAR(share_within_class(d, 1), 0.499, 5e-4);
  EXPECT_EQ(d.node_name(0), "YLR197W");
}

TEST(Yeast, NodesGetTheFeaturesOfAGraphWithoutAny) {
  EMGNN_NEEDS_FILE("yeast/nodes.csv");
  const Dataset named = load_dataset(request("yeast"));
  DatasetRequest own = request((testing::real_data_dir() / "yeast").string());
  own.with_split = false;
  const Dataset directory = load_dataset(own);
  EXPECT_EQ(named.features.num_cols, 1 + kNumDegreeBuckets);
  EXPECT_EQ(named.features.names, directory.features.names);
  // A directory's nodes are in the order of their ids.
  ASSERT_EQ(directory.given_order.size(), 2617U);
  EXPECT_EQ(named.features.sparse.col,
            select_rows(directory.features.sparse, directory.given_order).col);
  const std::vector<int64_t> given(directory.given_order.begin(), directory.given_order.end());
  EXPECT_EQ(named.labels.cls, directory.labels.select(given).cls);
}

TEST(Yeast, TheFixedSplitIsTheStratifiedOneOfSeedZeroForEveryRun) {
  EMGNN_NEEDS_FILE("yeast/nodes.csv");
  DatasetRequest r = request("yeast");
  const Dataset fixed = load_dataset(r);
  const Dataset drawn = load_dataset(request("yeast", "stratified:0.2/0.2/0.6"));
  EXPECT_EQ(fixed.split.train, drawn.split.train);
  EXPECT_EQ(fixed.split.validation, drawn.split.validation);
  EXPECT_EQ(fixed.split.test, drawn.split.test);
  EXPECT_EQ(fixed.split.train.size(), 405U);
  EXPECT_EQ(fixed.split.validation.size(), 402U);
  EXPECT_EQ(fixed.split.test.size(), 1212U);
  const std::vector<int64_t> all = class_counts(fixed, fixed.labels.known_rows()),
                             train = class_counts(fixed, fixed.split.train);
  for (size_t c = 0; c < all.size(); ++c)
    EXPECT_NEAR(static_cast<double>(train[c]), 0.2 * static_cast<double>(all[c]), 0.5);
  r.seed = 3;
  r.run = 2;
  EXPECT_EQ(load_dataset(r).split.train, fixed.split.train);
  r.split = "stratified:0.2/0.2/0.6";
  EXPECT_NE(load_dataset(r).split.train, fixed.split.train);
}

TEST(Yeast, WithoutLabelsItIsADataError) {
  const testing::TempDir dir;
  dir.write("yeast/nodes.csv", "id,label\na,\nb,\n");
  dir.write("yeast/edges.csv", "source,target,type\na,b,high\n");
  DatasetRequest r = request("yeast");
  r.data_dir = dir.path();
  r.allow_modified = true;
  expect_error<DataError>([&] { load_dataset(r); }, {"nodes.csv", "no node has a label"});
}

TEST(Yeast, ItsAbsenceIsNotAnsweredWithADownload) {
  const testing::TempDir dir;
  DatasetRequest r = request("yeast");
  r.data_dir = dir.path();
  expect_error<DataError>([&] { load_dataset(r); },
                          {"yeast/nodes.csv", "published nowhere", "--data-dir"});
  expect_error<DataError>(
      [&] {
        fetch_dataset({"yeast", dir.path(), ""});
      },
      {"yeast/nodes.csv", "published nowhere", "--mirror"});
  for (const VerifyRow& row : verify_data(dir.path())) {
    if (row.name != "yeast") continue;
    EXPECT_EQ(row.status, VerifyStatus::kAbsent);
    EXPECT_NE(row.detail.find("published nowhere"), std::string::npos) << row.detail;
  }
}

}  // namespace
}  // namespace emgnn
