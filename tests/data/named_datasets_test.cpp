// SPDX-License-Identifier: Apache-2.0
// The published datasets against data that was counted independently of this code.
#include <emgnn/data/registry.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/formats/npy.h>

#include "data/expect_error.h"
#include "data/real_request.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::request;

int64_t undirected(const Dataset& dataset, size_t relation) {
  EXPECT_TRUE(is_symmetric(dataset.graph.relations[relation].adjacency));
  return dataset.graph.relations[relation].adjacency.num_entries() / 2;
}

std::vector<int32_t> class_counts(const Dataset& dataset, const std::vector<int32_t>& ids) {
  std::vector<int32_t> counts(dataset.labels.names.size(), 0);
  for (const int32_t id : ids)
    ++counts[static_cast<size_t>(dataset.labels.cls[static_cast<size_t>(id)])];
  return counts;
}

TEST(NamedDatasets, CoraHasItsPublishedShape) {
  EMGNN_NEEDS_REAL_DATA();
  const Dataset cora = load_dataset(request("cora"));
  EXPECT_EQ(cora.graph.num_nodes, 2708);
  EXPECT_EQ(undirected(cora, 0), 5278);
  EXPECT_EQ(cora.features.num_cols, 1433);
  EXPECT_EQ(cora.features.sparse.num_entries(), 31261 + 17955);
  EXPECT_TRUE(cora.features.sparse.val.empty());
  EXPECT_EQ(class_counts(cora, cora.split.train), std::vector<int32_t>(7, 20));
  EXPECT_EQ(cora.split.validation.front(), 140);
  EXPECT_EQ(cora.split.validation.back(), 639);
  EXPECT_EQ(*std::min_element(cora.split.test.begin(), cora.split.test.end()), 1708);
  EXPECT_EQ(parse_dataset(request("cora")).num_duplicates, 151);
}

TEST(NamedDatasets, CiteseerKeepsItsFifteenUnlistedNodesUnlabelledAndEmpty) {
  EMGNN_NEEDS_REAL_DATA();
  const ParsedDataset parsed = parse_dataset(request("citeseer"));
  const Dataset& d = parsed.dataset;
  EXPECT_EQ(parsed.num_self_loops, 124);
  std::vector<int32_t> unlabelled;
  for (int32_t i = 0; i < d.graph.num_nodes; ++i) {
    if (!d.labels.known(i)) unlabelled.push_back(i);
  }
  EXPECT_EQ(unlabelled, (std::vector<int32_t>{2407, 2489, 2553, 2682, 2781, 2953, 3042, 3063, 3212,
                                              3214, 3250, 3292, 3305, 3306, 3309}));
  for (const int32_t i : unlabelled) {
    EXPECT_EQ(d.features.sparse.rowptr[static_cast<size_t>(i)],
              d.features.sparse.rowptr[static_cast<size_t>(i) + 1]);
  }
  const auto& rowptr = d.graph.relations[0].adjacency.rowptr;
  int isolated = 0;
  for (size_t i = 0; i + 1 < rowptr.size(); ++i) isolated += rowptr[i] == rowptr[i + 1] ? 1 : 0;
  EXPECT_EQ(isolated, 48);
}

// The check list of BGCN's fixed partition for Cora.
TEST(NamedDatasets, LabelsPerClassTakesTheFirstOfTheOfficialTrainingIds) {
  EMGNN_NEEDS_REAL_DATA();
  const std::vector<std::vector<int32_t>> expected = {
      {3, 6, 10, 11, 32, 35, 52, 60, 61, 62},  {18, 36, 54, 85, 102, 103, 104, 109, 112, 121},
      {5, 9, 16, 28, 34, 46, 53, 58, 59, 64},  {0, 4, 7, 8, 13, 14, 15, 17, 19, 21},
      {1, 2, 12, 22, 29, 33, 38, 39, 43, 49},  {20, 37, 47, 50, 67, 70, 76, 97, 107, 113},
      {23, 26, 31, 41, 42, 56, 69, 77, 87, 92}};
  const Dataset full = load_dataset(request("cora"));
  for (const size_t k : {5, 10}) {
    const Dataset cora = load_dataset(request("cora", "labels-per-class:" + std::to_string(k)));
    std::vector<int32_t> ids;
    for (const auto& cls : expected)
      ids.insert(ids.end(), cls.begin(), cls.begin() + static_cast<std::ptrdiff_t>(k));
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(cora.split.train, ids);
    EXPECT_EQ(cora.split.validation, full.split.validation);
    EXPECT_EQ(cora.split.test, full.split.test);
  }
  EXPECT_EQ(load_dataset(request("cora", "labels-per-class:20")).split.train, full.split.train);
  EXPECT_THROW(load_dataset(request("cora", "labels-per-class:21")), UsageError);
}

TEST(NamedDatasets, PubmedWithoutAllxSaysWhichFileAndHowToGetIt) {
  EMGNN_NEEDS_REAL_DATA();
  if (std::filesystem::exists(testing::real_data_dir() / "planetoid/ind.pubmed.allx")) {
    EXPECT_EQ(load_dataset(request("pubmed")).graph.num_nodes, 19717);
    return;
  }
  try {
    load_dataset(request("pubmed"));
    FAIL() << "loaded without allx";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("ind.pubmed.allx"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("emgnn data fetch pubmed"), std::string::npos);
  }
}

TEST(NamedDatasets, PubmedPresenceEqualsTheDerivedArchive) {
  EMGNN_NEEDS_REAL_DATA();
  const Dataset pubmed = load_dataset(request("pubmed-presence"));
  EXPECT_EQ(undirected(pubmed, 0), 44324);
  const auto path = testing::real_data_dir() / "planetoid/pubmed-presence/ind.pubmed.presence.npz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs " << path.string();
  const std::string bytes = read_file(path);
  const Npz npz(bytes, path.string());
  EXPECT_EQ(pubmed.features.sparse.rowptr, to_int32(npz.array("indptr"), "indptr"));
  EXPECT_EQ(pubmed.features.sparse.col, to_int32(npz.array("indices"), "indices"));
}

struct WebCase {
  const char* name;
  int32_t nodes;
  int64_t edges, self_loops;
  std::vector<int32_t> classes;
  size_t train, validation, test;
};

TEST(NamedDatasets, WebPageSetsHaveTheirCountsAndTenSplits) {
  EMGNN_NEEDS_REAL_DATA();
  const std::vector<WebCase> cases = {
      {"texas", 183, 279, 16, {33, 1, 18, 101, 30}, 87, 59, 37},
      {"wisconsin", 251, 450, 16, {10, 70, 118, 32, 21}, 120, 80, 51},
      {"cornell", 183, 277, 3, {38, 16, 30, 82, 17}, 87, 59, 37},
      {"cornell-before-2022-07", 183, 277, 3, {33, 1, 18, 101, 30}, 87, 59, 37}};
  for (const WebCase& c : cases) {
    SCOPED_TRACE(c.name);
    const ParsedDataset parsed = parse_dataset(request(c.name));
    EXPECT_EQ(parsed.dataset.graph.num_nodes, c.nodes);
    EXPECT_EQ(undirected(parsed.dataset, 0), c.edges);
    EXPECT_EQ(parsed.num_self_loops, c.self_loops);
    EXPECT_EQ(parsed.dataset.features.num_cols, 1703);
    std::vector<int32_t> all(static_cast<size_t>(c.nodes));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
    EXPECT_EQ(class_counts(parsed.dataset, all), c.classes);
    ASSERT_EQ(parsed.splits.size(), 10U);
    for (const NamedSplit& split : parsed.splits) {
      EXPECT_EQ(split.split.train.size(), c.train);
      EXPECT_EQ(split.split.validation.size(), c.validation);
      EXPECT_EQ(split.split.test.size(), c.test);
    }
  }
}

TEST(NamedDatasets, GeomGcnWithoutANumberTakesTheSplitOfSeedPlusRun) {
  EMGNN_NEEDS_REAL_DATA();
  DatasetRequest r = request("texas");
  r.seed = 8;
  r.run = 5;
  EXPECT_EQ(load_dataset(r).split.train, load_dataset(request("texas", "geom-gcn:3")).split.train);
  EXPECT_NE(load_dataset(r).split.train, load_dataset(request("texas", "geom-gcn:4")).split.train);
}

// Shares counted independently of this code, without self loops.
TEST(NamedDatasets, HomophilyIsTheShareOfSameClassEdges) {
  EMGNN_NEEDS_REAL_DATA();
  EXPECT_NEAR(summarise_dataset(request("texas")).homophily.value(), 0.061, 5e-4);
  EXPECT_NEAR(summarise_dataset(request("wisconsin")).homophily.value(), 0.178, 5e-4);
  EXPECT_NEAR(summarise_dataset(request("cornell-before-2022-07")).homophily.value(), 0.296, 5e-4);
  EXPECT_EQ(summarise_dataset(request("imdb")).homophily,
            std::nullopt);  // no edge joins two movies
  EXPECT_EQ(summarise_dataset(request("citeseer")).isolated, 48);
}

struct GtnCase {
  const char *name, *split;
  int32_t nodes, features;
  std::vector<std::pair<std::string, int64_t>> edges;
  std::vector<int32_t> train, validation, test;
};

TEST(NamedDatasets, HeterogeneousSetsHaveTheirCounts) {
  EMGNN_NEEDS_REAL_DATA();
  const std::vector<GtnCase> cases = {{"acm",
                                       "gtn",
                                       8994,
                                       1902,
                                       {{"PA", 9936}, {"PS", 3025}},
                                       {200, 200, 200},
                                       {100, 100, 100},
                                       {694, 670, 761}},
                                      {"dblp",
                                       "gtn",
                                       18405,
                                       334,
                                       {{"PA", 19645}, {"PC", 14328}},
                                       {200, 200, 200, 200},
                                       {100, 100, 100, 100},
                                       {897, 445, 809, 706}},
                                      {"imdb",
                                       "gtn",
                                       12772,
                                       1256,
                                       {{"MD", 4661}, {"MA", 13983}},
                                       {100, 100, 100},
                                       {100, 100, 100},
                                       {343, 724, 1272}},
                                      {"imdb",
                                       "",
                                       12772,
                                       1256,
                                       {{"MD", 4661}, {"MA", 13983}},
                                       {100, 100, 100},
                                       {47, 93, 160},
                                       {396, 731, 1212}}};
  for (const GtnCase& c : cases) {
    SCOPED_TRACE(fmt::format("{} {}", c.name, c.split));
    const Dataset d = load_dataset(request(c.name, c.split));
    EXPECT_EQ(d.graph.num_nodes, c.nodes);
    EXPECT_EQ(d.features.num_cols, c.features);
    EXPECT_TRUE(d.features.sparse.val.empty());
    ASSERT_EQ(d.graph.relations.size(), 2U);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(d.graph.relations[i].name, c.edges[i].first);
      EXPECT_EQ(undirected(d, i), c.edges[i].second);
    }
    EXPECT_EQ(class_counts(d, d.split.train), c.train);
    EXPECT_EQ(class_counts(d, d.split.validation), c.validation);
    EXPECT_EQ(class_counts(d, d.split.test), c.test);
  }
}

TEST(NamedDatasets, DirectedRelationsAreTheFourOfTheFile) {
  EMGNN_NEEDS_REAL_DATA();
  DatasetRequest r = request("dblp");
  r.directed_relations = true;
  const Dataset d = load_dataset(r);
  ASSERT_EQ(d.graph.relations.size(), 4U);
  const char* names[] = {"PA", "AP", "PC", "CP"};
  const int64_t edges[] = {19645, 19645, 14328, 14328};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(d.graph.relations[i].name, names[i]);
    EXPECT_EQ(d.graph.relations[i].adjacency.num_entries(), edges[i]);
  }
  // Papers have ids 4057 to 18384: no author is the source of PA.
  EXPECT_EQ(d.graph.relations[0].adjacency.rowptr[4057], 0);
}

TEST(NamedDatasets, ATaskIsForFilesOfOnesOwn) {
  DatasetRequest r = request("noisy-citations");
  r.task = "classes";
  EXPECT_EQ(load_dataset(r).labels.kind, LabelKind::kClasses);
  r.task = "values";
  expect_error<UsageError>([&] { load_dataset(r); }, {"noisy-citations comes with classes"});
  r.task = "regression";
  expect_error<UsageError>([&] { load_dataset(r); }, {"auto, classes, labels or values"});
}

TEST(NamedDatasets, UnknownNamesAndSplitsAreAnsweredWithTheValidOnes) {
  EXPECT_THROW(load_dataset(request("no-such-dataset")), UsageError);
  EMGNN_NEEDS_REAL_DATA();
  for (const char* split :
       {"nope", "geom-gcn:3", "random:0.5", "random:0.9/0.9/0.9", "stratified:a/b/c", "per-class:0",
        "per-class:1/2", "labels-per-class:x", "random:"}) {
    SCOPED_TRACE(split);
    EXPECT_THROW(load_dataset(request("cora", split)), UsageError);
  }
  EXPECT_THROW(load_dataset(request("cora", "per-class:100000")), UsageError);
}

TEST(NamedDatasets, RowNormalisedFeaturesSumToOne) {
  EMGNN_NEEDS_REAL_DATA();
  DatasetRequest r = request("cora");
  r.row_normalise = true;
  for (const double sum : row_sums(load_dataset(r).features.sparse)) EXPECT_NEAR(sum, 1.0, 1e-5);
}

}  // namespace
}  // namespace emgnn
