// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/folds.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

constexpr int64_t kRows = 200;

// Classes of unequal size, rows in no order.
Labels random_classes() {
  Labels out{.kind = LabelKind::kClasses, .num_rows = kRows, .names = {"a", "b", "c", "d"}};
  Rng rng(1, Stream::kTest);
  for (int64_t i = 0; i < kRows; ++i)
    out.cls.push_back(static_cast<int32_t>(std::min(rng.below(4), rng.below(4))));
  return out;
}

Labels random_values(size_t targets) {
  Labels out{.kind = LabelKind::kValues,
             .num_rows = kRows,
             .names = numbered_names(static_cast<int32_t>(targets))};
  Rng rng(2, Stream::kTest);
  for (int64_t i = 0; i < kRows * static_cast<int64_t>(targets); ++i)
    out.value.push_back(rng.normal());
  return out;
}

// Some rows, in no order.
std::vector<int32_t> some_rows(size_t count) {
  std::vector<int32_t> out;
  for (size_t i = 0; i < count; ++i) out.push_back(static_cast<int32_t>((i * 77 + 5) % kRows));
  return out;
}

std::vector<int32_t> sorted(std::vector<int32_t> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Every row in one part, parts of equal size up to one.
void expect_parts(const std::vector<std::vector<int32_t>>& folds,
                  const std::vector<int32_t>& rows) {
  std::vector<int32_t> all;
  size_t smallest = rows.size(), largest = 0;
  for (const std::vector<int32_t>& fold : folds) {
    all.insert(all.end(), fold.begin(), fold.end());
    smallest = std::min(smallest, fold.size());
    largest = std::max(largest, fold.size());
  }
  EXPECT_EQ(sorted(all), sorted(rows));
  EXPECT_LE(largest - smallest, 1U);
}

TEST(Folds, ArePartsOfEqualSizeWithTheirShareOfEveryClass) {
  const Labels labels = random_classes();
  for (size_t count : {size_t{7}, size_t{53}, size_t{120}}) {
    const std::vector<int32_t> rows = some_rows(count);
    for (int64_t parts : {2, 3, 5, 7}) {
      const auto folds = stratified_folds(labels, rows, parts, 3);
      ASSERT_EQ(static_cast<int64_t>(folds.size()), parts);
      expect_parts(folds, rows);
      for (int32_t c = 0; c < 4; ++c) {
        std::vector<int64_t> with;
        for (const std::vector<int32_t>& fold : folds)
          with.push_back(std::count_if(fold.begin(), fold.end(), [&](int32_t row) {
            return labels.cls[static_cast<size_t>(row)] == c;
          }));
        EXPECT_LE(*std::max_element(with.begin(), with.end()) -
                      *std::min_element(with.begin(), with.end()),
                  1);
      }
    }
  }
}

TEST(Folds, OfValuesHaveOneOfEachGroupOfNeighbours) {
  const Labels labels = random_values(1);
  const std::vector<int32_t> rows = some_rows(120);
  const auto folds = stratified_folds(labels, rows, 5, 3);
  expect_parts(folds, rows);
  std::vector<int32_t> by_value = rows;
  std::sort(by_value.begin(), by_value.end(), [&](int32_t a, int32_t b) {
    return labels.value[static_cast<size_t>(a)] < labels.value[static_cast<size_t>(b)];
  });
  std::map<int32_t, size_t> fold_of;
  for (size_t k = 0; k < folds.size(); ++k)
    for (int32_t row : folds[k]) fold_of[row] = k;
  for (size_t begin = 0; begin < by_value.size(); begin += 5) {
    std::set<size_t> seen;
    for (size_t i = begin; i < begin + 5; ++i) seen.insert(fold_of.at(by_value[i]));
    EXPECT_EQ(seen.size(), 5U);
  }
}

TEST(Folds, AreMadeWhereSomeValuesAreNotKnown) {
  Labels labels = random_values(2);
  for (size_t i = 0; i < labels.value.size(); i += 6)
    labels.value[i] = std::numeric_limits<double>::quiet_NaN();  // the first target of every third
  const std::vector<int32_t> rows = some_rows(120);
  const auto folds = stratified_folds(labels, rows, 4, 3);
  expect_parts(folds, rows);
  std::vector<int64_t> unknown;
  for (const std::vector<int32_t>& fold : folds) {
    unknown.push_back(std::count_if(fold.begin(), fold.end(), [&](int32_t row) {
      return std::isnan(labels.value[static_cast<size_t>(2 * row)]);
    }));
  }
  const auto [low, high] = std::minmax_element(unknown.begin(), unknown.end());
  EXPECT_GT(*low, 0);
  EXPECT_LE(*high - *low, 1);
}

TEST(Folds, OfLabelsAreParts) {
  Labels labels{.kind = LabelKind::kLabels, .num_rows = kRows, .names = {"a", "b"}};
  labels.value.assign(2 * kRows, 1.0);
  const std::vector<int32_t> rows = some_rows(101);
  expect_parts(stratified_folds(labels, rows, 5, 3), rows);
}

TEST(Folds, DependOnTheSeedAndNotOnTheOrderOfTheRows) {
  const Labels labels = random_classes();
  std::vector<int32_t> rows = some_rows(60);
  const auto folds = stratified_folds(labels, rows, 5, 3);
  EXPECT_NE(stratified_folds(labels, rows, 5, 4), folds);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(stratified_folds(labels, rows, 5, 3), folds);
}

TEST(Folds, NeedARowEach) {
  const Labels labels = random_classes();
  try {
    stratified_folds(labels, some_rows(4), 5, 3);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "em.folds=5: 4 labels to train on are too few; use fewer folds, or "
                 "em.recipe=published");
  }
  EXPECT_THROW(stratified_folds(labels, {}, 2, 3), UsageError);
  for (const auto& fold : stratified_folds(labels, some_rows(5), 5, 3)) EXPECT_EQ(fold.size(), 1U);
}

TEST(MemberSeed, OfTheFirstIsTheSeedAndNoTwoAreAlike) {
  for (Stream stream : {Stream::kFold, Stream::kEnsemble}) {
    std::set<uint64_t> seen;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      EXPECT_EQ(member_seed(seed, stream, 0), seed);
      for (uint64_t member = 0; member < 20; ++member)
        seen.insert(member_seed(seed, stream, member));
    }
    EXPECT_EQ(seen.size(), 2000U);
  }
}

TEST(MemberSeed, OfFoldsInAnEnsembleIsThereOnce) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (uint64_t learner = 0; learner < 10; ++learner)
      for (uint64_t fold = 0; fold < 10; ++fold)
        seen.insert(
            member_seed(member_seed(seed, Stream::kEnsemble, learner), Stream::kFold, fold));
  EXPECT_EQ(seen.size(), 2000U);
}

}  // namespace
}  // namespace emgnn
