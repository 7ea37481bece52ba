// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graph_file.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "expect_error.h"
#include "temp_dir.h"

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/data/cache.h>
#include <emgnn/data/generators.h>
#include <emgnn/data/id_table.h>
#include <emgnn/data/registry.h>

namespace emgnn {
namespace {

using testing::expect_error;
using testing::TempDir;

ParsedDataset own_graph(const TempDir& place) {
  place.write("own/nodes.csv",
              "id,type,label,split,x,y\nb,film,good,train,1,0\na,film,bad,validation,0.5,2\n"
              "c,film,good,test,0,0\n\"d,1\",person,,,,\n");
  place.write("own/edges.csv",
              "source,target,type,weight\na,b,likes,2\nb,c,likes,1\nc,\"d,1\",knows,1\n");
  return parse_dataset({.name = (place / "own").string(), .use_cache = false});
}

ParsedDataset generated() {
  return parse_dataset({.name = "power-law:nodes=300,edges=900,features=5"});
}

// All that there is, in the form of the cache.
std::string all_of(const ParsedDataset& parsed) { return serialise(parsed, ""); }

TEST(GraphFile, HoldsAllThatWasWritten) {
  const TempDir place;
  for (const ParsedDataset& parsed :
       {own_graph(place), generated(), parse_dataset({.name = "noisy-labels"}),
        parse_dataset({.name = "noisy-values"}), parse_dataset({.name = "noisy-relations"})}) {
    write_graph_file(parsed, place / "g.emgnn");
    const ParsedDataset back = read_graph_file(place / "g.emgnn");
    EXPECT_TRUE(all_of(back) == all_of(parsed)) << parsed.dataset.name;
    EXPECT_EQ(back.dataset.predicted_types, parsed.dataset.predicted_types);
    EXPECT_TRUE(back.dataset.graph.relations[0].adjacency.col.borrowed());
    int64_t entries = 0;
    for (const Relation& relation : parsed.dataset.graph.relations)
      entries += relation.adjacency.num_entries();
    EXPECT_EQ(graph_file_entries(place / "g.emgnn"), entries);
  }
}

TEST(GraphFile, IsWrittenWholeOrNotAtAll) {
  const TempDir place;
  const ParsedDataset parsed = generated();
  const Context::Scope scope{Context(1, Device::kCpu, [] { return true; })};
  EXPECT_THROW(write_graph_file(parsed, place / "g.emgnn"), Interrupted);
  EXPECT_TRUE(std::filesystem::is_empty(place.path()));
}

// What is mapped stays there as long as anybody looks at it, and a writer gets a copy.
TEST(GraphFile, OutlivesItsReaderAndIsNeverChanged) {
  const TempDir place;
  const ParsedDataset parsed = generated();
  write_graph_file(parsed, place / "g.emgnn");
  Array<float> kept = read_graph_file(place / "g.emgnn").dataset.features.dense;
  ASSERT_TRUE(kept.borrowed());
  EXPECT_EQ(kept, parsed.dataset.features.dense);
  Array<float> changed = kept;
  changed[3] = 1e9F;
  EXPECT_FALSE(changed.borrowed());
  EXPECT_EQ(kept, parsed.dataset.features.dense);
  kept.push_back(1.0F);
  EXPECT_EQ(kept.size(), parsed.dataset.features.dense.size() + 1);
  EXPECT_TRUE(all_of(read_graph_file(place / "g.emgnn")) == all_of(parsed));
}

TEST(GraphFile, IsADataset) {
  const TempDir place;
  write_graph_file(own_graph(place), place / "g.emgnn");
  const std::string name = (place / "g.emgnn").string();
  EXPECT_TRUE(is_own_graph(name));
  const Dataset mapped = load_dataset({.name = name});
  const Dataset read = load_dataset({.name = (place / "own").string(), .use_cache = false});
  EXPECT_EQ(mapped.split.train, read.split.train);
  EXPECT_EQ(mapped.node_name(1), read.node_name(1));
  EXPECT_EQ(mapped.features.sparse.col, read.features.sparse.col);
  EXPECT_THROW(parse_dataset({.name = name, .task = "values"}), UsageError);
}

TEST(GraphFile, RefusesWhatIsNoneOrNotWhole) {
  const TempDir place;
  write_graph_file(generated(), place / "g.emgnn");
  const std::string good = read_file(place / "g.emgnn");
  const auto refused = [&](std::string bytes, const char* why) {
    place.write("bad.emgnn", bytes);
    expect_error<DataError>([&] { read_graph_file(place / "bad.emgnn"); }, {"bad.emgnn", why});
  };
  for (const size_t size : {size_t{0}, size_t{1}, size_t{63}})
    refused(good.substr(0, size), "not a graph file");
  for (const size_t size : {size_t{64}, size_t{100}, good.size() / 2, good.size() - 1})
    refused(good.substr(0, size), "cut off");
  refused(good + "x", "cut off or changed");
  std::string other = good;
  other[8] = 9;
  refused(other, "version 9");
  other = good;
  std::reverse(other.begin() + 12, other.begin() + 16);
  refused(other, "byte order");
  other = good;
  other[70] ^= 1;
  refused(other, "damaged header");
  expect_error<DataError>([&] { read_graph_file(place / "none.emgnn"); }, {"none.emgnn"});
}

// Any single byte: it is noticed, or it lies between two arrays.
TEST(GraphFile, NoticesEveryChangedByte) {
  const TempDir place;
  const ParsedDataset parsed = generated();
  write_graph_file(parsed, place / "g.emgnn");
  const std::string good = read_file(place / "g.emgnn"), want = all_of(parsed);
  int refused = 0, same = 0;
  for (size_t at = 0; at < good.size(); at += 37) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    place.write("bad.emgnn", bytes);
    try {
      EXPECT_TRUE(all_of(read_graph_file(place / "bad.emgnn")) == want) << at;
      ++same;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20 * same);
}

TEST(IdTable, NumbersIdsInTheOrderTheyAreSeen) {
  for (const bool texts : {false, true}) {
    IdTable table;
    EXPECT_EQ(table.add("7"), 0);
    EXPECT_EQ(table.add("0"), 1);
    EXPECT_EQ(table.add("7"), 0);
    if (texts) {
      EXPECT_EQ(table.add("07"), 2);  // another id
    }
    EXPECT_EQ(table.find("0"), 1);
    EXPECT_EQ(table.find("5"), std::nullopt);
    EXPECT_EQ(table.find("x"), std::nullopt);
    EXPECT_EQ(table.name(0), "7");
    EXPECT_EQ(table.size(), texts ? 3U : 2U);
    EXPECT_EQ(table.take_names(), texts ? (std::vector<std::string>{"7", "0", "07"})
                                        : (std::vector<std::string>{"7", "0"}));
    EXPECT_EQ(table.size(), 0U);
  }
}

TEST(IdTable, NamesThatAreTheirNumbersAreNotKept) {
  IdTable table;
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(table.add(std::to_string(i)), i);
  EXPECT_EQ(table.find("4999"), 4999);
  EXPECT_EQ(table.find("5000"), std::nullopt);
  EXPECT_TRUE(table.take_names().empty());
}

TEST(IdTable, TakesNumbersThatLieFarApart) {
  IdTable table;
  constexpr int64_t kStep = 2'000'003, kCount = 5000;  // beyond 2^31, too
  for (int64_t i = 0; i < kCount; ++i) EXPECT_EQ(table.add(std::to_string(i * kStep)), i);
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(table.find(std::to_string(i * kStep)), i);
  EXPECT_EQ(table.find("1"), std::nullopt);
  EXPECT_EQ(table.take_names()[2], "4000006");
}

}  // namespace
}  // namespace emgnn
