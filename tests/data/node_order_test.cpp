// SPDX-License-Identifier: Apache-2.0
// The order of the rows of a user's tables, and edge types that are each other's reverse.
#include <gtest/gtest.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/registry.h>
#include <emgnn/data/split_shares.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::TempDir;
using Lines = std::vector<std::string>;

// Two types of nodes, one of them without features; weights, repetitions and all parts of a split.
Lines node_lines() {
  Lines out;
  const char* parts[] = {"train", "validation", "test", ""};
  for (int i = 0; i < 12; ++i) {
    out.push_back(fmt::format("p{},paper,{},{},{},{}", i, i % 3, parts[i % 4], i % 5, 0.5 * i));
  }
  for (int i = 0; i < 7; ++i) out.push_back(fmt::format("a{},author,,,,", i));
  return out;
}

Lines edge_lines() {
  Lines out;
  for (int i = 0; i < 24; ++i)
    out.push_back(fmt::format("a{},p{},wrote,{}", i % 7, i * 5 % 12, 1 + i % 3));
  for (int i = 0; i < 12; ++i) out.push_back(fmt::format("p{},p{},cites,1", i, i * 7 % 12));
  return out;
}

std::string table_of(const std::string& header, Lines lines, uint64_t seed) {
  if (seed > 0) {
    std::vector<int32_t> order(lines.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    Rng rng(seed, Stream::kSplit);
    shuffle(order, rng);
    Lines shuffled;
    for (const int32_t i : order) shuffled.push_back(lines[static_cast<size_t>(i)]);
    lines = shuffled;
  }
  std::string out = header + "\n";
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

ParsedDataset parse(const TempDir& dir, bool directed = false) {
  return parse_dataset(
      {.name = dir.path().string(), .directed_relations = directed, .use_cache = false});
}

void write_shuffled(const TempDir& dir, uint64_t seed) {
  dir.write("nodes.csv", table_of("id,type,label,split,x,y", node_lines(), seed));
  dir.write("edges.csv", table_of("source,target,type,weight", edge_lines(), seed));
}

void expect_equal(const Csr& a, const Csr& b) {
  EXPECT_EQ(a.rowptr, b.rowptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_EQ(a.val, b.val);
}

TEST(NodeOrder, TheOrderOfRowsChangesNothingThatTrainingReads) {
  const TempDir straight;
  write_shuffled(straight, 0);
  const Dataset first = parse(straight).dataset;
  ASSERT_TRUE(std::is_sorted(first.node_names.begin(), first.node_names.end()));
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const TempDir dir;
    write_shuffled(dir, seed);
    const ParsedDataset parsed = parse(dir);
    const Dataset& other = parsed.dataset;
    EXPECT_EQ(other.node_names, first.node_names);
    EXPECT_EQ(other.node_type, first.node_type);
    EXPECT_EQ(other.node_type_names, first.node_type_names);
    EXPECT_EQ(other.labels.names, first.labels.names);
    EXPECT_EQ(other.labels.cls, first.labels.cls);
    EXPECT_EQ(other.features.names, first.features.names);
    EXPECT_EQ(other.features.dense, first.features.dense);
    expect_equal(other.features.sparse, first.features.sparse);
    ASSERT_EQ(other.graph.relations.size(), 2U);
    for (size_t r = 0; r < 2; ++r) {
      EXPECT_EQ(other.graph.relations[r].name, first.graph.relations[r].name);
      expect_equal(other.graph.relations[r].adjacency, first.graph.relations[r].adjacency);
    }
    EXPECT_EQ(parsed.splits[0].split.train, parse(straight).splits[0].split.train);
    EXPECT_EQ(parsed.splits[0].split.test, parse(straight).splits[0].split.test);
  }
}

TEST(NodeOrder, TheGivenOrderIsKept) {
  const TempDir dir;
  dir.write("nodes.csv", "id,label\nc,x\na,y\nb,x\n");
  dir.write("edges.csv", "source,target\nc,a\n");
  const Dataset data = parse(dir).dataset;
  EXPECT_EQ(data.node_names, (Lines{"a", "b", "c"}));
  EXPECT_EQ(data.given_order, (std::vector<int32_t>{2, 0, 1}));
  EXPECT_EQ(data.labels.cls, (std::vector<int32_t>{1, 0, 0}));
  EXPECT_EQ(data.graph.relations[0].adjacency.col, (std::vector<int32_t>{2, 0}));
}

TEST(NodeOrder, NumbersAreOrderedByValueAndLeftAloneWhereTheyAre) {
  const TempDir dir;
  dir.write("nodes.csv", "id,label\n2,x\n9,y\n10,x\n");
  dir.write("edges.csv", "source,target\n2,10\n");
  EXPECT_EQ(parse(dir).dataset.node_names, (Lines{"2", "9", "10"}));
  EXPECT_TRUE(parse(dir).dataset.given_order.empty());
}

bool says(const ParsedDataset& parsed, const std::string& part) {
  return std::any_of(parsed.notes.begin(), parsed.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(ReversedRelations, CountAsOne) {
  const TempDir dir;
  dir.write(
      "edges.csv",
      "source,target,type,weight\na,p,writes,2\na,q,writes,1\nb,q,writes,1\nq,b,written_by,1\n"
      "p,a,written_by,2\nq,a,written_by,1\na,b,knows,1\np,q,likes,1\np,a,near,1\na,q,near,1\n"
      "b,q,near,1\n");
  const ParsedDataset parsed = parse(dir);
  const auto& relations = parsed.dataset.graph.relations;
  ASSERT_EQ(relations.size(), 4U);
  EXPECT_EQ(relations[3].name, "writes");
  EXPECT_EQ(relations[3].adjacency.num_entries(), 6);
  EXPECT_TRUE(is_symmetric(relations[3].adjacency));
  EXPECT_TRUE(says(parsed, "written_by is writes reversed"));
  EXPECT_TRUE(says(parsed, "data.directed_relations=true"));
}

TEST(ReversedRelations, AreKeptApartOnRequest) {
  const TempDir dir;
  dir.write("nodes.csv", "id,label\na,x\nb,y\np,x\nq,y\n");
  dir.write("edges.csv",
            "source,target,type\na,p,writes\nb,q,writes\nq,b,written_by\np,a,written_by\n");
  const auto relations = parse(dir, true).dataset.graph.relations;
  ASSERT_EQ(relations.size(), 2U);
  EXPECT_EQ(relations[0].adjacency.num_entries(), 2);
  expect_equal(relations[1].adjacency, transpose(relations[0].adjacency).csr);
  DatasetRequest request{.name = dir.path().string(), .with_split = false, .use_cache = false};
  EXPECT_EQ(load_dataset(request).graph.relations.size(), 1U);
  request.directed_relations = true;
  EXPECT_EQ(load_dataset(request).graph.relations.size(), 2U);
  dir.write("edges.csv", "source,target,type\na,p,writes\nb,q,reads\n");
  expect_error<UsageError>([&] { load_dataset(request); },
                           {"data.directed_relations", "nothing to keep apart"});
}

// Other edges, other weights, and two symmetric relations are no reverse.
TEST(ReversedRelations, OthersStayTwo) {
  for (const char* edges :
       {"a,p,writes,1\nb,q,writes,1\np,a,by,1\n", "a,p,writes,1\np,a,by,2\n",
        "a,b,one,1\nb,a,one,1\na,b,two,1\nb,a,two,1\n", "a,p,one,1\na,p,two,1\n"}) {
    const TempDir dir;
    dir.write("edges.csv", fmt::format("source,target,type,weight\n{}", edges));
    EXPECT_EQ(parse(dir).dataset.graph.relations.size(), 2U) << edges;
  }
}

}  // namespace
}  // namespace emgnn
