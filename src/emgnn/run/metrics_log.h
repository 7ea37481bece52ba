// SPDX-License-Identifier: Apache-2.0
// metrics.jsonl, read again: how a training went, epoch by epoch and round by round.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/learn/record.h>

namespace emgnn {

struct LoggedRound {
  int64_t epoch = 0;  // the first after its E-step
  RoundRecord record;
};

struct MetricsLog {
  std::vector<EpochRecord> epochs;
  std::vector<LoggedRound> rounds;
  std::string score;  // the one that was validated; empty: none was
};

// DataError with file and line for anything that a run does not write. A last line without its end is
// left out: a process that was killed leaves one.
MetricsLog parse_metrics(std::string_view text, const std::string& file);

}  // namespace emgnn
