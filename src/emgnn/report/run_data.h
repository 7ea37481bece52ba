// SPDX-License-Identifier: Apache-2.0
// The data of a series of runs, whatever its kind: what train_runs needs to know of it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <emgnn/data/featurise_all.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/registry.h>
#include <emgnn/em/experiment.h>
#include <emgnn/em/stored_model.h>
#include <emgnn/report/run_folder.h>

namespace emgnn {

// One run's.
class RunData {
 public:
  virtual ~RunData() = default;
  virtual std::string fingerprint() const = 0;          // SHA-256 of all that training reads
  virtual nlohmann::ordered_json describe() const = 0;  // for the manifest
  // The data outlives it.
  virtual std::unique_ptr<Experiment> experiment(uint64_t seed) const = 0;
  // What predicting needs to know of the data.
  virtual void describe_model(StoredModel& model) const = 0;
  // predictions.csv and what else tells about the data.
  virtual void write_files(RunFolder& folder, const Experiment& experiment,
                           const TrainResult& result) const = 0;
};

// All runs': what they share is made once.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // The source outlives the data.
  virtual std::unique_ptr<RunData> load(int64_t run, const MoleculeObserver& observer) = 0;
  // After the first load: what a user should know of the data, one line, or nothing.
  virtual std::string note() const { return ""; }
};

// What the runs are to do with their data.
struct RunMethod {
  std::string name;
  RunConfig config;
  uint64_t seed = 0;  // run r has seed + r
};

std::unique_ptr<RunSource> node_source(const DatasetRequest& request, RunMethod method);
std::unique_ptr<RunSource> molecule_source(const MoleculeRequest& request, RunMethod method);

// By the kind of the dataset. check_kind: UsageError when the method is for the other kind.
std::unique_ptr<RunSource> open_source(const std::string& dataset,
                                       const std::filesystem::path& data_dir, RunMethod method);
void check_kind(const std::string& dataset, const std::string& method);

}  // namespace emgnn
