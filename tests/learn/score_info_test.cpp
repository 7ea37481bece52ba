// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/score_info.h>

#include <gtest/gtest.h>

#include <set>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

TEST(ScoreInfo, EveryKindHasOneMainScoreAmongItsOwn) {
  for (const LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues}) {
    std::set<std::string> names;
    for (const ScoreInfo& info : score_info(kind)) EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_TRUE(names.contains(main_score_info(kind).name)) << name_of(kind);
  }
  EXPECT_FALSE(main_score_info(LabelKind::kValues).higher_is_better);
  EXPECT_TRUE(score_info(LabelKind::kNone).empty());
  EXPECT_THROW(main_score_info(LabelKind::kNone), UsageError);
}

}  // namespace
}  // namespace emgnn
