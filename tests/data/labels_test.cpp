// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/labels.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <emgnn/base/error.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;

// Three rows: both known, one known, none known.
Labels two_values(LabelKind kind = LabelKind::kValues) {
  return {.kind = kind,
          .num_rows = 3,
          .names = {"a", "b"},
          .cls = {},
          .value = {0, 1, NAN, 1, NAN, NAN}};
}

Labels three_classes() {
  Labels labels = unknown_classes(4, numbered_names(3, "c"));
  labels.cls = {2, kNoLabel, 0, 2};
  return labels;
}

TEST(Labels, ARowIsKnownWhenAnyEntryIs) {
  EXPECT_EQ(two_values().known_rows(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(three_classes().known_rows(), (std::vector<int32_t>{0, 2, 3}));
  EXPECT_EQ(three_classes().num_known(), 3);
  EXPECT_EQ(no_labels(5).num_known(), 0);
  EXPECT_EQ(no_labels(5).num_rows, 5);
}

TEST(Labels, SelectsRowsInTheGivenOrder) {
  const std::vector<int64_t> rows = {3, 1, 0};
  const Labels classes = three_classes().select(rows);
  EXPECT_EQ(classes.cls, (std::vector<int32_t>{2, kNoLabel, 2}));
  EXPECT_EQ(classes.names, (std::vector<std::string>{"c0", "c1", "c2"}));
  const std::vector<int64_t> swapped = {1, 0};
  const Labels values = two_values().select(swapped);
  EXPECT_EQ(values.num_rows, 2);
  EXPECT_TRUE(std::isnan(values.at(0, 0)));
  EXPECT_EQ(values.at(0, 1), 1);
  EXPECT_EQ(values.at(1, 0), 0);
  EXPECT_NO_THROW(check(values, "x"));
  EXPECT_EQ(no_labels(4).select(rows).num_rows, 3);
}

TEST(Labels, CheckFindsEveryDisagreement) {
  for (const Labels& good :
       {three_classes(), two_values(), two_values(LabelKind::kLabels), no_labels(2)})
    EXPECT_NO_THROW(check(good, "x"));
  const auto broken = [](Labels labels, auto change, std::string_view what) {
    change(labels);
    expect_error<DataError>([&] { check(labels, "set"); }, {"set: ", what});
  };
  broken(
      three_classes(), [](Labels& l) { l.cls[0] = 3; }, "class 3 is outside 0..2");
  broken(
      three_classes(), [](Labels& l) { l.cls[0] = -2; }, "class -2");
  broken(
      three_classes(), [](Labels& l) { l.num_rows = 5; }, "class or none per row");
  broken(
      three_classes(), [](Labels& l) { l.names[1] = "c0"; }, "same name");
  broken(
      three_classes(), [](Labels& l) { l.value = {1}; }, "value of every name");
  broken(
      two_values(), [](Labels& l) { l.value.pop_back(); }, "value of every name");
  broken(
      two_values(), [](Labels& l) { l.cls = {1}; }, "class or none");
  broken(
      two_values(), [](Labels& l) { l.value[0] = std::numeric_limits<double>::infinity(); },
      "infinite");
  broken(
      two_values(LabelKind::kLabels), [](Labels& l) { l.value[0] = 0.5; }, "found 0.5");
  broken(
      no_labels(1), [](Labels& l) { l.names = {"a"}; }, "names");
}

TEST(Labels, TheTaskIsOneOfFourWords) {
  EXPECT_EQ(kind_of_task("auto"), std::nullopt);
  for (const LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues})
    EXPECT_EQ(kind_of_task(name_of(kind)), kind);
  for (const char* word : {"", "none", "Classes", "regression"})
    expect_error<UsageError>([&] { kind_of_task(word); }, {"task", word});
}

}  // namespace
}  // namespace emgnn
