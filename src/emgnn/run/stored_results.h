// SPDX-License-Identifier: Apache-2.0
// Results that lie in the folder of a request, read without its data and without LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/run/request.h>
#include <emgnn/run/results.h>

namespace emgnn {

// The runs of a request that are finished in its folder, if all of them are; their Results hold no
// configuration. `values` is the resolved configuration: UsageError that names the difference when the
// folder holds other runs, DataError when one of its files is damaged.
std::optional<Results> stored_results(const RunRequest& request,
                                      const std::map<std::string, std::string>& values);

// How many of them are: runs are made in the order of their seeds.
int64_t num_finished(const RunRequest& request);
// The record of one that is. DataError when it is damaged.
RunRecord finished_run(const RunRequest& request, int64_t r);

// One series of runs, as far as it has come.
struct SeriesTimes {
  std::string row, column;
  int64_t runs = 0;             // in all
  std::vector<double> seconds;  // of those that are finished
};
// The time that all unfinished runs take, so many series at a time. A run is taken to last as long as others
// of its series did; else of its row; else of its column; else as all. Nothing: none is finished.
std::optional<double> seconds_left(const std::vector<SeriesTimes>& all, int64_t at_a_time);

}  // namespace emgnn
