// SPDX-License-Identifier: Apache-2.0
// Which scores there may be of labels of a kind, for whoever has no task at hand.
#pragma once

#include <span>

#include <emgnn/data/labels.h>
#include <emgnn/learn/metrics.h>

namespace emgnn {

// In the order of tables; none of LabelKind::kNone.
std::span<const ScoreInfo> score_info(LabelKind kind);

// The one that a run is summed up by: accuracy of classes, micro_f1 of labels, rmse of values.
const ScoreInfo& main_score_info(LabelKind kind);

}  // namespace emgnn
