// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/own_graph.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/data/default_features.h>
#include <emgnn/data/registry.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"
#include "paths.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::TempDir;

ParsedDataset load(const TempDir& dir) {
  return load_own_graph(find_own_graph(dir.path()), "mine");
}

void write_small(const TempDir& dir) {
  dir.write("nodes.csv",
            "id,type,label,split,height\n"
            "ann,person,b,train,1.5\n"
            "\"bob, jr\",person,a,val,0\n"
            "cy,person,,,2\n"
            "x1,thing,a,test,\n");
  dir.write("edges.csv",
            "source,target,type,weight\n"
            "ann,\"bob, jr\",knows,2\n"
            "\"bob, jr\",ann,knows,3\n"
            "ann,ann,knows,1\n"
            "cy,x1,owns,1\n"
            "cy,x1,owns,1\n");
}

TEST(OwnGraph, KeepsStringIdsTypesLabelsAndSplit) {
  const TempDir dir;
  write_small(dir);
  const ParsedDataset parsed = load(dir);
  const Dataset& d = parsed.dataset;
  EXPECT_EQ(d.node_names, (std::vector<std::string>{"ann", "bob, jr", "cy", "x1"}));
  EXPECT_EQ(d.node_type_names, (std::vector<std::string>{"person", "thing"}));
  EXPECT_EQ(d.labels.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(d.labels.cls, (std::vector<int32_t>{1, 0, kNoLabel, 0}));
  ASSERT_EQ(parsed.splits.size(), 1U);
  EXPECT_EQ(parsed.splits[0].name, "column");
  EXPECT_EQ(parsed.splits[0].split.validation, (std::vector<int32_t>{1}));
}

TEST(OwnGraph, CountsRepetitionsAndSelfLoopsAndKeepsTheLargerWeight) {
  const TempDir dir;
  write_small(dir);
  const ParsedDataset parsed = load(dir);
  EXPECT_EQ(parsed.num_duplicates, 1);
  EXPECT_EQ(parsed.num_self_loops, 1);
  const auto& relations = parsed.dataset.graph.relations;
  ASSERT_EQ(relations.size(), 2U);
  EXPECT_EQ(relations[0].name, "knows");
  EXPECT_EQ(relations[0].adjacency.val, (std::vector<float>{3, 3}));
  EXPECT_TRUE(is_symmetric(relations[1].adjacency));
  EXPECT_NE(std::find_if(
                parsed.notes.begin(), parsed.notes.end(),
                [](const std::string& n) { return n.find("1 repetitions") != std::string::npos; }),
            parsed.notes.end());
}

TEST(OwnGraph, ATypeWithoutFeaturesGetsItsTypeAndDegree) {
  const TempDir dir;
  write_small(dir);
  const ParsedDataset parsed = load(dir);
  const Csr& x = parsed.dataset.features.sparse;
  ASSERT_EQ(x.num_cols, 1 + 1 + kNumDegreeBuckets);
  EXPECT_EQ(x.rowptr, (std::vector<int32_t>{0, 1, 1, 2, 4}));
  const std::vector<std::string>& names = parsed.dataset.features.names;
  ASSERT_EQ(names.size(), static_cast<size_t>(x.num_cols));
  EXPECT_EQ(names[0], "height");
  EXPECT_EQ(names[1], "type:thing");
  EXPECT_EQ(names[2], "degree:0");
  EXPECT_EQ(names[3], "degree:1");
  EXPECT_EQ(names[5], "degree:4-7");
  EXPECT_EQ(names[17], "degree:16384-32767");
  EXPECT_EQ(names[18], "degree:32768+");
  EXPECT_EQ((std::vector<int32_t>{x.col[2], x.col[3]}), (std::vector<int32_t>{1, 3}));
}

TEST(OwnGraph, WithoutAnyFeaturesAllNodesGetTheDefault) {
  const TempDir dir;
  dir.write("edges.csv", "source,target\na,b\nb,c\nc,d\nb,d\n");
  const ParsedDataset parsed = load(dir);
  EXPECT_TRUE(parsed.features_are_default);
  EXPECT_EQ(parsed.dataset.node_names, (std::vector<std::string>{"a", "b", "c", "d"}));
  const Csr& x = parsed.dataset.features.sparse;
  EXPECT_EQ(x.num_cols, 1 + kNumDegreeBuckets);
  EXPECT_EQ(parsed.dataset.features.names.front(), "type:node");
  EXPECT_EQ(x.col, (std::vector<int32_t>{0, 2, 0, 3, 0, 3, 0, 3}));  // degrees 1, 3, 2, 2
  EXPECT_EQ(parsed.dataset.graph.relations[0].name, "edge");
}

TEST(OwnGraph, ReadsMatricesAndArrays) {
  const TempDir dir;
  dir.write("nodes.csv", "id,label\na,1\nb,10\nc,2\n");
  dir.write("follows.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n% note\n3 3 2\n1 2\n2 3\n");
  dir.write("likes.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n3 1 0.5\n");
  dir.write("features.mtx",
            "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 1\n3 2 7\n");
  const Dataset d = load(dir).dataset;
  ASSERT_EQ(d.graph.relations.size(), 2U);
  EXPECT_EQ(d.graph.relations[1].name, "likes");
  EXPECT_EQ(d.graph.relations[1].adjacency.val, (std::vector<float>{0.5, 0.5}));
  EXPECT_EQ(d.features.sparse.val, (std::vector<float>{1, 7}));
  EXPECT_EQ(d.labels.names,
            (std::vector<std::string>{"1", "2", "10"}));  // numbers in numeric order
}

TEST(OwnGraph, ANumberOfAnArrayThatIsNotFiniteHasAPlace) {
  const TempDir dir;
  dir.write("nodes.csv", "id\na\nb\n");
  dir.write("edges.csv", "source,target\na,b\n");
  const float x[] = {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, std::numeric_limits<float>::quiet_NaN()};
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(117, ' ');  // 128 bytes with the ten before and the line's end
  dir.write("features.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
                                std::string(reinterpret_cast<const char*>(x), sizeof x));
  expect_error<DataError>([&] { load(dir); }, {"features.npy: row 1, column 2"});
}

TEST(OwnGraph, AMatrixMayComeWithNames) {
  const TempDir dir;
  dir.write("nodes.csv", "id\na\nb\n");
  dir.write("edges.csv", "source,target\na,b\n");
  const std::string header = "%%MatrixMarket matrix coordinate integer general\n";
  dir.write("features.mtx", header + "2 2 2\n1 1 1\n2 2 7\n");
  EXPECT_TRUE(load(dir).dataset.features.names.empty());
  dir.write("feature_names.csv", "name\n\"red, blue\"\n\"\"\n");
  EXPECT_EQ(load(dir).dataset.features.names, (std::vector<std::string>{"red, blue", ""}));
  write_own_graph(load(dir), dir / "copy");
  EXPECT_EQ(load_own_graph(find_own_graph(dir / "copy"), "x").dataset.features.names,
            load(dir).dataset.features.names);
  dir.write("feature_names.csv", "name\nred\n");
  expect_error<DataError>([&] { load(dir); }, {"feature_names.csv", "1 names for 2 columns"});
  dir.write("feature_names.csv", "names\nred\n");
  expect_error<DataError>([&] { load(dir); }, {"feature_names.csv", "\"name\""});
  std::filesystem::remove(dir / "features.mtx");
  expect_error<DataError>([&] { load(dir); }, {"feature_names.csv", "no matrix"});
}

TEST(OwnGraph, ReadsGraphml) {
  if (!EMGNN_GRAPHML) GTEST_SKIP() << "needs EMGNN_GRAPHML=ON";
  const TempDir dir;
  dir.write("g.graphml", R"(<?xml version="1.0"?>
<graphml>
 <key id="k0" for="node" attr.name="label" attr.type="string"/>
 <key id="k1" for="node" attr.name="height" attr.type="double"/>
 <key id="k2" for="edge" attr.name="type" attr.type="string"/>
 <graph edgedefault="undirected">
  <node id="n &amp; 1"><data key="k0">yes</data><data key="k1">2.5</data></node>
  <node id="n2"><data key="k0">no</data><data key="k1">1</data></node>
  <edge source="n &amp; 1" target="n2"><data key="k2">near</data></edge>
 </graph>
</graphml>)");
  const Dataset d = load(dir).dataset;
  EXPECT_EQ(d.node_names, (std::vector<std::string>{"n & 1", "n2"}));
  EXPECT_EQ(d.labels.names, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(d.graph.relations[0].name, "near");
  EXPECT_FALSE(d.features.is_sparse);
  EXPECT_EQ(d.features.dense, (std::vector<float>{2.5, 1}));
  EXPECT_EQ(d.features.names, (std::vector<std::string>{"height"}));
}

TEST(OwnGraph, ErrorsNameFileLineAndColumn) {
  const auto check = [](const char* nodes, const char* edges,
                        std::initializer_list<std::string_view> pieces) {
    SCOPED_TRACE(nodes);
    const TempDir dir;
    dir.write("nodes.csv", nodes);
    dir.write("edges.csv", edges);
    expect_error<DataError>([&] { load(dir); }, pieces);
  };
  const char* good_nodes = "id,label\na,1\nb,2\n";
  const char* good_edges = "source,target\na,b\n";
  check(good_nodes, "source,target\na,b\na,zed\n", {"edges.csv: line 3, column 2 (target)", "zed"});
  check(good_nodes, "from,to\na,b\n", {"edges.csv", "\"source\"", "from, to"});
  check(good_nodes, "source,target,weight\na,b,-1\n", {"line 2, column 3 (weight)"});
  check(good_nodes, "source,target,type\na,b,\n", {"line 2, column 3 (type)"});
  check(good_nodes, "source,target\n", {"no edges"});
  check(good_nodes, "", {"edges.csv", "empty"});
  check("id,label\na,1\na,2\n", good_edges, {"nodes.csv: line 3, column 1 (id)", "second node"});
  check("id,label,x\na,1,tall\nb,2,3\n", good_edges, {"nodes.csv: line 2, column 3 (x)", "tall"});
  check("id,label,split\na,1,dev\nb,2,\n", good_edges,
        {"nodes.csv: line 2, column 3 (split)", "dev"});
  check("id,label,split\na,,train\nb,2,\n", good_edges,
        {"line 2, column 3 (split)", "needs a label"});
  check("id,label\n", good_edges, {"line 2, column 1 (source)"});
  check("name\na\n", good_edges, {"nodes.csv", "\"id\""});
}

void expect_data_error(const char* file, const std::string& text) {
  const TempDir dir;
  dir.write(file, text);
  EXPECT_THROW(load(dir), DataError) << text;
}

TEST(OwnGraph, DamagedMatricesAreErrors) {
  const std::string header = "%%MatrixMarket matrix coordinate real general\n";
  for (const char* rest :
       {"", "2 2 1\n", "2 2 1\n1 3 1\n", "2 2 1\n1 2\n", "2 2 1\n1 2 x\n", "2 3 1\n1 2 1\n",
        "2 2 1\n1 2 1\n2 1 1\n", "2 2 1\n1 2 -1\n", "2 2 999999999999\n", "2 2 1\n1 2 1 9\n"}) {
    expect_data_error("a.mtx", header + rest);
  }
  expect_data_error("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n");
  expect_data_error("a.mtx", "1 2\n");
  const TempDir empty;
  EXPECT_THROW(load(empty), DataError);
}

TEST(OwnGraph, AHeaderAloneDoesNotAskForGigabytes) {
  const std::string header = "%%MatrixMarket matrix coordinate pattern general\n";
  const TempDir dir;
  dir.write("a.mtx", header + "2147483646 2147483646 1\n1 2\n");
  expect_error<DataError>(
      [&] { load(dir); },
      {"a.mtx: 2147483646 rows or columns are too many for a file of 77 bytes"});
  // With a table of nodes their number is known.
  dir.write("nodes.csv", "id\na\nb\n");
  expect_error<DataError>([&] { load(dir); }, {"a.mtx: 2147483646 rows for 2 nodes"});
  dir.write("a.mtx", header + "2 2 1\n1 2\n");
  dir.write("features.mtx", header + "2147483646 2 1\n1 2\n");
  expect_error<DataError>([&] { load(dir); }, {"features.mtx: 2147483646 rows for 2 nodes"});
  dir.write("features.mtx", header + "2 2147483646 1\n1 2\n");
  expect_error<DataError>([&] { load(dir); }, {"features.mtx: 2147483646 rows or columns"});
  // Many nodes without an edge are allowed.
  std::filesystem::remove(dir / "nodes.csv");
  std::filesystem::remove(dir / "features.mtx");
  dir.write("a.mtx", header + "1000 1000 1\n1 2\n");
  EXPECT_EQ(load(dir).dataset.graph.num_nodes, 1000);
}

TEST(OwnGraph, TextThatIsNotUtf8IsAnErrorWithItsLine) {
  const TempDir dir;
  write_small(dir);
  dir.write("edges.csv", "source,target,type\nann,cy,knows\nann,cy,gr\xfc\xdft\n");
  expect_error<DataError>([&] { load(dir); }, {"edges.csv: line 3: not UTF-8"});
  dir.write("nodes.csv", "id,label\nann,caf\xe9\ncy,bar\n");
  expect_error<DataError>([&] { load(dir); }, {"nodes.csv: line 2: not UTF-8"});
}

TEST(OwnGraph, DamagedGraphmlIsAnError) {
  if (!EMGNN_GRAPHML) GTEST_SKIP() << "needs EMGNN_GRAPHML=ON";
  for (const char* text :
       {"", "<graphml>", "<graphml/>", "<graphml><graph/></graphml>",
        "<graphml><graph><node id='a'/><node id='a'/></graph></graphml>",
        "<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>",
        "<graphml><graph><node id='a'><data key='k'>1</data></node></graph></graphml>"}) {
    expect_data_error("g.graphml", text);
  }
}

TEST(OwnGraph, SurvivesWritingAndReadingBack) {
  const TempDir dir, out;
  write_small(dir);
  const ParsedDataset first = load(dir);
  write_own_graph(first, out / "copy");
  const ParsedDataset second = load_own_graph(find_own_graph(out / "copy"), "mine");
  EXPECT_EQ(second.dataset.node_names, first.dataset.node_names);
  EXPECT_EQ(second.dataset.labels.cls, first.dataset.labels.cls);
  EXPECT_EQ(second.dataset.features.names, first.dataset.features.names);
  EXPECT_EQ(second.dataset.node_type, first.dataset.node_type);
  EXPECT_EQ(second.splits[0].split.train, first.splits[0].split.train);
  EXPECT_EQ(second.dataset.features.sparse.col, first.dataset.features.sparse.col);
  EXPECT_EQ(second.dataset.features.sparse.val, first.dataset.features.sparse.val);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second.dataset.graph.relations[i].adjacency.col,
              first.dataset.graph.relations[i].adjacency.col);
    EXPECT_EQ(second.dataset.graph.relations[i].adjacency.val,
              first.dataset.graph.relations[i].adjacency.val);
  }
  EXPECT_THROW(write_own_graph(first, out / "copy"), UsageError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out.path()), {}),
            1);  // nothing half-written beside it
}

// The user wants an end while it is written.
TEST(OwnGraph, IsWrittenWholeOrNotAtAll) {
  const TempDir dir, out;
  write_small(dir);
  const ParsedDataset parsed = load(dir);
  const Context::Scope scope{Context(1, Device::kCpu, [] { return true; })};
  EXPECT_THROW(write_own_graph(parsed, out / "copy"), Interrupted);
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));
}

TEST(OwnGraph, IsADatasetByItsDirectory) {
  const TempDir dir;
  write_small(dir);
  DatasetRequest request;
  request.name = dir.path().string();
  request.use_cache = false;
  const Dataset d = load_dataset(request);
  EXPECT_EQ(d.node_name(d.split.test[0]), "x1");
  const DatasetSummary summary = summarise_dataset(request);
  EXPECT_EQ(summary.edges,
            (std::vector<std::pair<std::string, int64_t>>{{"knows", 1}, {"owns", 1}}));
  EXPECT_EQ(summary.homophily, 0.0);
  EXPECT_EQ(summary.isolated, 0);
}

TEST(OwnGraph, TheShippedExampleLoadsAsItsReadmeSays) {
  DatasetRequest request;
  request.name = std::string(testing::kSourceDir) + "/examples/own-graph";
  request.use_cache = false;
  const Dataset d = load_dataset(request);
  EXPECT_EQ(d.node_type_names, (std::vector<std::string>{"author", "book", "reader"}));
  ASSERT_EQ(d.graph.relations.size(), 3U);
  EXPECT_EQ(d.graph.relations[2].name, "wrote");
  EXPECT_EQ(d.labels.names, (std::vector<std::string>{"crime", "poetry"}));
  EXPECT_TRUE(d.node_name(d.split.test[0]).starts_with("reader:"));
}

}  // namespace
}  // namespace emgnn
