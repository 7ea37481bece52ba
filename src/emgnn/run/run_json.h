// SPDX-License-Identifier: Apache-2.0
// Records of a run as JSON, in metrics.jsonl and results.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <emgnn/learn/record.h>

namespace emgnn {

// Of results.json; a reader of another format says so.
inline constexpr int kResultsFormat = 3;

nlohmann::ordered_json to_json(const RoundRecord& round);
RoundRecord parse_round(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const SampledPosterior& sampled);
SampledPosterior parse_sampled(const nlohmann::ordered_json& json);

}  // namespace emgnn
