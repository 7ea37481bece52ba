// SPDX-License-Identifier: Apache-2.0
// A search for settings: every trial is an ordinary run without test scores in a folder of its own, so a
// search that was interrupted resumes where it was. Who runs the trials, and how many at a time, is the
// caller's. No LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/learn/metrics.h>
#include <emgnn/run/request.h>
#include <emgnn/run/search_space.h>

namespace emgnn {

enum class SearchKind { kRandom, kGrid, kHalving };
SearchKind search_kind(const std::string& word);  // "random", "grid" or "halving"; UsageError

struct TuneRequest {
  ConfigRequest config;  // of every trial, below what is searched
  std::string space, space_file;
  std::string search = "random";
  std::string score;  // by which trials are compared; empty: the task's main one
  int64_t trials = 20;
  uint64_t seed = 0;  // of the runs, and of the draws
  int64_t runs = 1;   // of each trial
  std::filesystem::path out;
};

// What is to be run.
struct TuneJob {
  int64_t trial = 0;  // from 1
  std::vector<std::string> settings;
  std::filesystem::path folder, log;
};

// One trial as far as it has come.
struct TuneTrial {
  int64_t trial = 0;
  std::vector<std::string> settings;  // that were searched
  int64_t rung = 0;                   // the last one it took part in, from 0
  std::filesystem::path folder;       // of that
  std::optional<double> score;        // none: it failed
  double seconds = 0.0;               // of training, over all rungs and runs
};

struct TuneResult {
  ScoreInfo score;
  std::vector<TuneTrial> trials;  // the best first
};

// Runs jobs, some at a time, and returns when all of them have ended. A job that fails leaves no
// results.json.
using RunJobs = std::function<void(const std::vector<TuneJob>&)>;
// The values of all settings with these above those of the request. UsageError where one is wrong.
using ResolveSettings =
    std::function<std::map<std::string, std::string>(const std::vector<std::string>& settings)>;

// Writes tune.json (what is searched), trials.json and best.toml into the folder. UsageError before a
// trial is run where a trial's settings are wrong, there is no such score, or the folder holds
// another search or a run; Error when no trial succeeds. Where a trial shows that the settings or the
// data are wrong before any has trained, a new search leaves nothing in the folder.
TuneResult tune(const TuneRequest& request, const ResolveSettings& resolve,
                const RunJobs& run_jobs);

nlohmann::ordered_json to_json(const TuneResult& result);
std::string to_text(const TuneResult& result, int64_t most);  // a table of the best

}  // namespace emgnn
