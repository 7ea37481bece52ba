// SPDX-License-Identifier: Apache-2.0
// Lists of views.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "same_csr.h"
#include "small_graph.h"

#include <emgnn/base/error.h>
#include <emgnn/space/views.h>

namespace emgnn {
namespace {

// Two edge types "a" and "b" with weights, two node types.
std::shared_ptr<const Dataset> typed_data() {
  Dataset data = *data_of(small_graph(40, 2, 50, 12), 5);
  data.node_type_names = {"item", "person"};
  for (int32_t i = 0; i < 40; ++i) data.node_type.push_back(i % 2);
  return std::make_shared<const Dataset>(std::move(data));
}

TEST(MakeViews, GivesWhatTheListNamesInItsOrder) {
  const auto data = typed_data();
  const ViewSet set = make_views(*data, " two-hop,given , knn:3,metapath:item-person-item,  ppr");
  EXPECT_FALSE(set.any_distrusted());
  const TypedGraph& views = *set.graph;
  EXPECT_EQ(views.num_nodes, 40);
  std::vector<std::string> names;
  for (const Relation& view : views.relations) names.push_back(view.name);
  EXPECT_EQ(names, (std::vector<std::string>{"two-hop", "a", "b", "knn:3",
                                             "metapath:item-person-item", "ppr"}));
  // The walks are over the edges of all types, each with weight 1.
  Coo coo;
  for (const Relation& relation : data->graph.relations) {
    for (int32_t i = 0; i < 40; ++i) {
      for (const int32_t j : relation.adjacency.row(i).col) {
        coo.row.push_back(i);
        coo.col.push_back(j);
      }
    }
  }
  Csr joined = csr_from_coo(40, 40, coo, Duplicates::kSum);
  joined.val.clear();
  EXPECT_TRUE(same(views.relations[0].adjacency, two_hop(joined)));
  EXPECT_TRUE(same(views.relations[1].adjacency, data->graph.relations[0].adjacency));
  EXPECT_TRUE(same(views.relations[2].adjacency, data->graph.relations[1].adjacency));
  EXPECT_TRUE(same(views.relations[3].adjacency, nearest_neighbours(data->features, 3)));
  EXPECT_TRUE(same(views.relations[4].adjacency,
                   metapath(joined, data->node_type, std::vector<int32_t>{0, 1, 0})));
  EXPECT_TRUE(same(views.relations[5].adjacency, personalised_pagerank(joined, {})));
  EXPECT_EQ(make_views(*data, "b").graph->relations.size(), 1U);
  EXPECT_EQ(make_views(*data, "b").graph->relations[0].name, "b");
}

TEST(RandomNeighbours, AreKOrMoreOfEachNodeBothWaysAndTheSameEveryTime) {
  constexpr int32_t kNodes = 500;
  const Csr a = random_neighbours(kNodes, 4);
  EXPECT_TRUE(is_symmetric(a));
  EXPECT_TRUE(same(a, random_neighbours(kNodes, 4)));
  // 2000 draws, of which 2000/500 are the node itself and about 4·2000/500 repeat a pair: each
  // number is Poisson.
  const double pairs = static_cast<double>(a.num_entries()) / 2.0;
  EXPECT_LE(pairs, 2000.0);
  EXPECT_GE(pairs, 2000.0 - 4.0 - 16.0 - 5.0 * std::sqrt(20.0));
  for (int32_t i = 0; i < kNodes; ++i) {
    const std::span<const int32_t> near = a.row(i).col;
    EXPECT_FALSE(std::binary_search(near.begin(), near.end(), i));
  }
}

TEST(MakeViews, DistrustsEveryEdgeTypeOrAnyView) {
  const auto data = typed_data(), plain = data_of(small_graph(10, 1, 9, 1));
  const auto names = [](const ViewSet& set) {
    std::vector<std::string> out;
    for (size_t v = 0; v < set.trust.size(); ++v) {
      const Relation& view = set.graph->relations[v];
      out.push_back(view.name + (set.trust[v] ? "?" : ""));
      if (set.trust[v]) {
        EXPECT_TRUE(same(view.adjacency, set.trust[v]->adjacency()));
      }
    }
    return out;
  };
  EXPECT_EQ(names(make_views(*data, "reliable, knn:3, reliable:knn:3")),
            (std::vector<std::string>{"reliable:a?", "reliable:b?", "knn:3", "reliable:knn:3?"}));
  EXPECT_EQ(names(make_views(*data, "reliable:b")), std::vector<std::string>{"reliable:b?"});
  EXPECT_EQ(names(make_views(*data, "reliable:given")), names(make_views(*data, "reliable")));
  EXPECT_EQ(names(make_views(*plain, "reliable, a")), (std::vector<std::string>{"reliable?", "a"}));
}

TEST(AutomaticViews, SuitTheData) {
  EXPECT_EQ(automatic_views(*typed_data()), "given, joined, knn:5");
  const auto plain = data_of(small_graph(10, 1, 9, 1));
  EXPECT_EQ(automatic_views(*plain), "reliable, knn:5, two-hop");
  EXPECT_TRUE(make_views(*plain, "auto").any_distrusted());
  EXPECT_EQ(make_views(*plain, "auto").trust.size(), 3U);
  // A complete graph: every node is a neighbour.
  TypedGraph dense{.num_nodes = 40, .relations = {{"a", Csr{}}}};
  Coo coo;
  for (int32_t i = 0; i < 40; ++i) {
    for (int32_t j = 0; j < 40; ++j) {
      if (i == j) continue;
      coo.row.push_back(i);
      coo.col.push_back(j);
    }
  }
  dense.relations[0].adjacency = csr_from_coo(40, 40, coo, Duplicates::kSum);
  EXPECT_EQ(automatic_views(*data_of(dense)), "reliable, knn:5");
  // More nodes than all pairs of which are compared: similar ones are searched for.
  EXPECT_EQ(automatic_views(*data_of(small_graph(kMaxCompared + 1, 1, 100, 1))),
            "reliable, knn:5, two-hop");
}

TEST(MakeViews, SaysWhatIsWrongWithAList) {
  const auto data = typed_data(), plain = data_of(small_graph(10, 1, 9, 1));
  const auto error = [](const Dataset& of, const std::string& list) -> std::string {
    try {
      make_views(of, list);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find("space.views: ") == 0 && text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(error(*data, "given, knm:5"), "unknown view \"knm:5\""));
  EXPECT_TRUE(says(error(*data, "given, knm:5"), "an edge type (a, b)"));
  for (const char* list : {"", "given,", "a,,b", ","})
    EXPECT_TRUE(says(error(*data, list), "unknown view \"\"")) << list;
  EXPECT_TRUE(says(error(*data, "two-hop, two-hop"), "two views are called \"two-hop\""));
  EXPECT_TRUE(says(error(*data, "b, given"),
                   "two views are called \"b\"; given stands for every edge type"));
  for (const char* view : {"knn:0", "knn:-1", "knn:", "knn:x", "knn:2x", "knn:1001", "knn:1e99"})
    EXPECT_TRUE(says(error(*data, view), "expected knn:K with K from 1 to 1000")) << view;
  EXPECT_EQ(error(*data, "knn:1000"), "");
  EXPECT_TRUE(
      says(error(*data, "metapath:item-place"), "no node type \"place\"; it has item, person"));
  EXPECT_TRUE(says(error(*data, "metapath:item"), "two node types or more"));
  EXPECT_TRUE(says(error(*plain, "metapath:a-a"), "it has one type without a name"));
}

}  // namespace
}  // namespace emgnn
