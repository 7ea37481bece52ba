// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/cli/status_line.h>
#include <emgnn/run/request.h>
#include <emgnn/run/stored_results.h>

namespace emgnn::cli {

// How far the series of runs are that other processes make: how many runs are finished in their folders,
// and about how long the others will take.
class TableProgress {
 public:
  struct Series {
    std::string row, column;
    RunRequest request;  // with a folder
  };
  TableProgress(const std::vector<Series>& series, int64_t at_a_time, bool quiet);

  void look();  // for runs that were finished since; shows the line when due
  void say(const std::string& text) { line_.say(text); }  // a line that stays

 private:
  using Clock = std::chrono::steady_clock;

  void count();
  std::string text() const;

  std::vector<RunRequest> requests_;
  std::vector<SeriesTimes> times_;
  int64_t at_a_time_, runs_ = 0, done_ = 0, shown_ = -1;
  Clock::time_point looked_;
  StatusLine line_;
};

std::string about(double seconds);  // "about 2 h 10 min"

}  // namespace emgnn::cli
