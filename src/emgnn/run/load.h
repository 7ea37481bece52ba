// SPDX-License-Identifier: Apache-2.0
// The data of a series of runs, whatever its kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/data/featurise_all.h>
#include <emgnn/run/options.h>

namespace emgnn {

// UsageError when there is no such dataset.
DataKind kind_of(const std::string& dataset);
// The shipped settings that it shares with others of its kind: citation, web, heterogeneous,
// molecules; empty: none.
std::string group_of(const std::string& dataset);

bool is_own_data(
    const std::string& dataset);  // a directory or file of the user, no name of the list

// The name under which a run remembers its data: that of the list, or an absolute path, which means
// the same in every folder.
std::string lasting_name(const std::string& dataset);

struct LoadRequest {
  std::string dataset;
  std::filesystem::path data_dir;  // of named datasets; empty: default_data_dir()
  DataOptions options;
  uint64_t seed = 0;       // of the first run
  bool with_split = true;  // else nothing needs a label
};

// What the runs share is read once.
class DataSource {
 public:
  explicit DataSource(LoadRequest request) : request_(std::move(request)) {}

  // UsageError when nothing would be left of the validation rows, or nothing set aside.
  std::shared_ptr<const Data> load(int64_t run, const MoleculeObserver& observer = {});
  // Two runs may have different graphs: what is prepared for one is not for the other.
  bool graphs_differ() const { return request_.options.perturb > 0.0; }
  // Of the last load: rows that were set aside for calibration, ascending, in no part of the split.
  const std::vector<int32_t>& calibration() const { return calibration_; }
  // After the first load: what a user should know of the data, a line each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void set_aside(Split& split, int64_t run);

  LoadRequest request_;
  std::shared_ptr<const MoleculeTable> table_;
  std::vector<std::string> notes_;
  std::vector<int32_t> calibration_;
};

}  // namespace emgnn
