// SPDX-License-Identifier: Apache-2.0
// The folder that `emgnn train --out` wrote, read again: all that was kept of one run or of several.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/data/labels.h>
#include <emgnn/run/metrics_log.h>
#include <emgnn/run/results.h>

namespace emgnn {

// One seed.
struct StoredFit {
  std::filesystem::path folder;
  uint64_t seed = 0;
  std::optional<RunRecord> record;  // none: it is not finished
  std::vector<std::string> verdict;
  MetricsLog log;
  std::string data_sha256;  // of the data it was trained on
  std::string manifest;     // the text of manifest.json
  std::map<std::string, std::string>
      cut;  // tables that hold a part of the rows: "100000 of 312345"
};

struct StoredRuns {
  std::filesystem::path folder;
  std::string dataset, method;
  LabelKind labels = LabelKind::kNone;
  std::string config;                           // the text of config.toml
  std::map<std::string, std::string> settings;  // what it says
  std::vector<StoredFit> fits;                  // by seed; at least one
  std::vector<std::string> target_names;        // of values, where the data names them

  std::vector<RunRecord> finished() const;  // the records that there are
  const StoredFit& shown() const;           // the first finished one, else the first
  // Of scores: whether every finished run has them for the test rows.
  bool has_test() const;
};

// UsageError when there is no such folder or nothing was trained in it; DataError when a file that
// a run leaves is missing or damaged.
StoredRuns read_runs(const std::filesystem::path& folder);

// The one temperature that calibrate=validation fitted to class probabilities; none: there is no such.
std::optional<double> stored_temperature(const StoredFit& fit);

}  // namespace emgnn
