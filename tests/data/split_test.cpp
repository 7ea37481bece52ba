// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/split.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <emgnn/base/error.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;

// 100 labelled nodes, 60 of class 0, 30 of class 1, 10 of class 2, then 20 without a label.
ParsedDataset hundred() {
  ParsedDataset parsed;
  parsed.dataset.name = "hundred";
  parsed.dataset.graph.num_nodes = 120;
  parsed.dataset.labels = unknown_classes(120, {"a", "b", "c"});
  for (int32_t i = 0; i < 100; ++i)
    parsed.dataset.labels.cls[static_cast<size_t>(i)] = i < 60 ? 0 : i < 90 ? 1 : 2;
  return parsed;
}

std::vector<int> class_sizes(const ParsedDataset& parsed, const std::vector<int32_t>& ids) {
  std::vector<int> sizes(3, 0);
  for (const int32_t id : ids)
    ++sizes[static_cast<size_t>(parsed.dataset.labels.cls[static_cast<size_t>(id)])];
  return sizes;
}

void expect_disjoint_and_labelled(const ParsedDataset& parsed, const Split& split, size_t total) {
  std::set<int32_t> all;
  for (const auto* part : {&split.train, &split.validation, &split.test})
    all.insert(part->begin(), part->end());
  EXPECT_EQ(all.size(), total);
  EXPECT_EQ(split.train.size() + split.validation.size() + split.test.size(), total);
  for (const int32_t id : all) EXPECT_TRUE(parsed.dataset.labels.known(id));
}

TEST(Split, WithoutLabelsThereIsNothingToSplit) {
  ParsedDataset parsed = hundred();
  parsed.dataset.labels = {};
  for (const char* spec : {"", "random:60/20/20", "stratified:60/20/20"})
    expect_error<UsageError>([&] { make_split(parsed, {.spec = spec}); }, {"no node has a label"});
}

TEST(Split, RandomSharesCoverTheLabelledNodes) {
  const ParsedDataset parsed = hundred();
  const Split split = make_split(parsed, {"random:0.8/0.1/0.1", 1, 0});
  EXPECT_EQ(split.train.size(), 80U);
  EXPECT_EQ(split.validation.size(), 10U);
  expect_disjoint_and_labelled(parsed, split, 100);
  expect_disjoint_and_labelled(parsed, make_split(parsed, {"random:0.2/0.1/0.3", 1, 0}), 60);
}

TEST(Split, IsAFunctionOfSeedPlusRun) {
  const ParsedDataset parsed = hundred();
  const auto train = [&](uint64_t seed, int run) {
    return make_split(parsed, {"random:0.8/0.1/0.1", seed, run}).train;
  };
  EXPECT_EQ(train(3, 2), train(5, 0));
  EXPECT_NE(train(3, 2), train(3, 1));
}

TEST(Split, StratifiedKeepsTheSharesWithinEachClass) {
  const ParsedDataset parsed = hundred();
  const Split split = make_split(parsed, {"stratified:0.5/0.2/0.3", 1, 0});
  EXPECT_EQ(class_sizes(parsed, split.train), (std::vector<int>{30, 15, 5}));
  EXPECT_EQ(class_sizes(parsed, split.validation), (std::vector<int>{12, 6, 2}));
  expect_disjoint_and_labelled(parsed, split, 100);
}

TEST(Split, PerClassDrawsAsManyOfEachClass) {
  const ParsedDataset parsed = hundred();
  const Split counted = make_split(parsed, {"per-class:5/20/30", 1, 0});
  EXPECT_EQ(class_sizes(parsed, counted.train), (std::vector<int>{5, 5, 5}));
  EXPECT_EQ(counted.validation.size(), 20U);
  EXPECT_EQ(counted.test.size(), 30U);
  expect_disjoint_and_labelled(parsed, counted, 65);
  expect_disjoint_and_labelled(parsed, make_split(parsed, {"per-class:5", 1, 0}), 100);
  EXPECT_THROW(make_split(parsed, {"per-class:11", 1, 0}), UsageError);
  EXPECT_THROW(make_split(parsed, {"per-class:5/80/80", 1, 0}), UsageError);
}

// Every second node has a value.
ParsedDataset half_known(LabelKind kind) {
  ParsedDataset parsed = hundred();
  parsed.dataset.labels = {.kind = kind, .num_rows = 120, .names = {"y"}, .cls = {}, .value = {}};
  for (int i = 0; i < 120; ++i) parsed.dataset.labels.value.push_back(i % 2 == 0 ? 1.0 : NAN);
  parsed.splits = {{"column", {{0}, {2}, {4}}}};
  return parsed;
}

TEST(Split, RandomSharesAreForEveryKindOfLabels) {
  for (const LabelKind kind : {LabelKind::kLabels, LabelKind::kValues}) {
    const ParsedDataset parsed = half_known(kind);
    expect_disjoint_and_labelled(parsed, make_split(parsed, {"random:0.5/0.25/0.25", 1, 0}), 60);
    EXPECT_EQ(valid_splits(parsed), (std::vector<std::string>{"column", "random:A/B/C"}));
  }
}

TEST(Split, WhatCountsClassesNeedsThem) {
  for (const char* spec : {"stratified:0.5/0.2/0.3", "per-class:5", "labels-per-class:1"}) {
    expect_error<UsageError>(
        [&] {
          make_split(half_known(LabelKind::kValues), {spec, 0, 0});
        },
        {spec, "needs classes", "have values", "random:A/B/C"});
    expect_error<UsageError>(
        [&] {
          make_split(half_known(LabelKind::kLabels), {spec, 0, 0});
        },
        {spec, "needs classes", "have labels"});
  }
}

TEST(Split, NamedFamiliesTakeTurns) {
  ParsedDataset parsed = hundred();
  parsed.splits = {{"geom-gcn:0", {{0}, {1}, {2}}}, {"geom-gcn:1", {{3}, {4}, {5}}}};
  EXPECT_EQ(make_split(parsed, {"", 0, 0}).train.front(), 0);
  EXPECT_EQ(make_split(parsed, {"", 0, 1}).train.front(), 3);
  EXPECT_EQ(make_split(parsed, {"geom-gcn", 1, 1}).train.front(), 0);
  EXPECT_EQ(make_split(parsed, {"geom-gcn:1", 0, 0}).train.front(), 3);
}

TEST(Split, WithoutAnyItAsksForOne) {
  expect_error<UsageError>([] { make_split(hundred(), {}); }, {"hundred", "random:A/B/C"});
  expect_error<UsageError>(
      [] {
        make_split(hundred(), {"labels-per-class:5", 0, 0});
      },
      {"without a split"});
  expect_error<UsageError>(
      [] {
        make_split(hundred(), {"geom-gcn", 0, 0});
      },
      {"unknown", "stratified:A/B/C"});
}

}  // namespace
}  // namespace emgnn
