// SPDX-License-Identifier: Apache-2.0
// Every field of the parsed form comes back from the cache. The structs are taken apart by
// structured bindings: a new field does not compile here until it is compared, and an object that
// leaves a field at its default is refused.
#include <gtest/gtest.h>

#include <emgnn/data/cache.h>

namespace emgnn {
namespace {

// The two are equal, and not what a forgotten field would be.
template <class T>
void expect_kept(const T& a, const T& b, const char* what) {
  EXPECT_EQ(a, b) << what;
  EXPECT_NE(b, T{}) << what << " is at its default: give it a value";
}
#define EXPECT_KEPT(a, b) expect_kept(a, b, #a)

template <class T, class Compare>
void expect_all_kept(const std::vector<T>& a, const std::vector<T>& b, const Compare& compare) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_FALSE(b.empty());
  for (size_t i = 0; i < b.size(); ++i) compare(a[i], b[i]);
}

void compare(const Csr& x, const Csr& y) {
  const auto& [rows, cols, rowptr, col, val] = x;
  const auto& [rows2, cols2, rowptr2, col2, val2] = y;
  EXPECT_KEPT(rows, rows2);
  EXPECT_KEPT(cols, cols2);
  EXPECT_KEPT(rowptr, rowptr2);
  EXPECT_KEPT(col, col2);
  EXPECT_KEPT(val, val2);
}

void compare(const Relation& x, const Relation& y) {
  const auto& [name, adjacency] = x;
  const auto& [name2, adjacency2] = y;
  EXPECT_KEPT(name, name2);
  compare(adjacency, adjacency2);
}

void compare(const TypedGraph& x, const TypedGraph& y) {
  const auto& [num_nodes, relations] = x;
  const auto& [num_nodes2, relations2] = y;
  EXPECT_KEPT(num_nodes, num_nodes2);
  expect_all_kept(relations, relations2, [](const auto& a, const auto& b) { compare(a, b); });
}

void compare(const Features& x, const Features& y) {
  const auto& [rows, cols, is_sparse, sparse, dense, names] = x;
  const auto& [rows2, cols2, is_sparse2, sparse2, dense2, names2] = y;
  EXPECT_KEPT(rows, rows2);
  EXPECT_KEPT(cols, cols2);
  EXPECT_EQ(is_sparse, is_sparse2);
  EXPECT_NE(is_sparse2, Features{}.is_sparse);
  compare(sparse, sparse2);
  EXPECT_KEPT(dense, dense2);
  EXPECT_KEPT(names, names2);
}

void compare(const Labels& x, const Labels& y) {
  const auto& [kind, rows, names, cls, value] = x;
  const auto& [kind2, rows2, names2, cls2, value2] = y;
  EXPECT_KEPT(kind, kind2);
  EXPECT_KEPT(rows, rows2);
  EXPECT_KEPT(names, names2);
  EXPECT_KEPT(cls, cls2);
  EXPECT_KEPT(value, value2);
}

void compare(const Split& x, const Split& y) {
  const auto& [train, validation, test] = x;
  const auto& [train2, validation2, test2] = y;
  EXPECT_KEPT(train, train2);
  EXPECT_KEPT(validation, validation2);
  EXPECT_KEPT(test, test2);
}

void compare(const NamedSplit& x, const NamedSplit& y) {
  const auto& [name, split] = x;
  const auto& [name2, split2] = y;
  EXPECT_KEPT(name, name2);
  compare(split, split2);
}

void compare(const EdgeChange& x, const EdgeChange& y) {
  const auto& [pair, added] = x;
  const auto& [pair2, added2] = y;
  EXPECT_KEPT(pair, pair2);
  EXPECT_KEPT(added, added2);
}

void compare(const Dataset& x, const Dataset& y) {
  const auto& [name, graph, features, labels, split, nodes, order, types, type, predicted,
               perturbation] = x;
  const auto& [name2, graph2, features2, labels2, split2, nodes2, order2, types2, type2, predicted2,
               perturbation2] = y;
  EXPECT_KEPT(name, name2);
  compare(graph, graph2);
  compare(features, features2);
  compare(labels, labels2);
  compare(split, split2);
  EXPECT_KEPT(nodes, nodes2);
  EXPECT_KEPT(order, order2);
  EXPECT_KEPT(types, types2);
  EXPECT_KEPT(type, type2);
  EXPECT_EQ(predicted, predicted2);  // no file says it
  expect_all_kept(perturbation, perturbation2, [](const auto& a, const auto& b) { compare(a, b); });
}

void compare(const ParsedDataset& x, const ParsedDataset& y) {
  const auto& [dataset, splits, duplicates, self_loops, features_are_default, notes] = x;
  const auto& [dataset2, splits2, duplicates2, self_loops2, features_are_default2, notes2] = y;
  compare(dataset, dataset2);
  expect_all_kept(splits, splits2, [](const auto& a, const auto& b) { compare(a, b); });
  EXPECT_KEPT(duplicates, duplicates2);
  EXPECT_KEPT(self_loops, self_loops2);
  EXPECT_KEPT(features_are_default, features_are_default2);
  EXPECT_KEPT(notes, notes2);
}

// No field at its default, whether or not the whole makes sense.
ParsedDataset everything() {
  ParsedDataset parsed;
  Dataset& d = parsed.dataset;
  const Csr matrix{2, 3, {0, 1, 2}, {1, 0}, {0.5F, 2.0F}};
  d.name = "all";
  d.graph = {2, {{"first", matrix}, {"second", matrix}}};
  d.features = {2, 3, false, matrix, {1, 2, 3, 4, 5, 6}, {"x", "y", "z"}};
  d.labels = {LabelKind::kValues, 2, {"u", "v"}, {1, kNoLabel}, {0.25, 1, -2, 1e300}};
  d.split = {{0}, {1}, {0, 1}};
  d.node_names = {"a", "b"};
  d.given_order = {1, 0};
  d.node_type_names = {"t"};
  d.node_type = {0, 0};
  d.perturbation = {{{3, 4}, true}};
  parsed.splits = {{"one", {{1}, {0}, {1, 0}}}, {"two", {{2}, {3}, {4}}}};
  parsed.num_duplicates = 7;
  parsed.num_self_loops = 9;
  parsed.features_are_default = true;
  parsed.notes = {"n1", "n2"};
  return parsed;
}

TEST(CacheFormat, EveryFieldComesBack) {
  const ParsedDataset parsed = everything();
  const auto again = deserialise(serialise(parsed, "key"), "key");
  ASSERT_TRUE(again.has_value());
  compare(*again, parsed);
  EXPECT_FALSE(deserialise(serialise(parsed, "key"), "other").has_value());
}

}  // namespace
}  // namespace emgnn
