// SPDX-License-Identifier: Apache-2.0
// Trains one method on one dataset with several seeds, keeps what a run folder holds, and goes on
// where an earlier call was interrupted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <emgnn/em/config.h>
#include <emgnn/em/observer.h>
#include <emgnn/report/results.h>
#include <emgnn/report/run_data.h>

namespace emgnn {

inline constexpr const char* kModelFile = "model.safetensors";

struct RunRequest {
  std::string dataset, method;
  RunConfig config;
  uint64_t seed = 0;  // run r has seed + r
  int64_t runs = 1;
  std::optional<std::filesystem::path> out;  // none: nothing is written
  std::filesystem::path rescue;              // where an interrupted run without `out` is left
  std::function<std::unique_ptr<RunSource>()> open;  // the data
};

class RunsObserver : public Observer {
 public:
  // Before each run that is trained; the others were found finished in the folder.
  virtual void on_run(int64_t /*run*/, uint64_t /*seed*/) {}
  virtual void on_note(const std::string& /*note*/) {}  // about the data
  // While molecules are read, by one thread at a time; false stops (Interrupted).
  virtual bool on_molecule(const MoleculeProgress& /*progress*/) { return true; }
};

// With one run the folder holds its files; with several it holds a folder seed-S for each, beside
// config.toml, manifest.json and results.json for all. Finished runs are read back, an interrupted
// one goes on from its checkpoint. UsageError when the folder is of another dataset, method, seed
// or configuration, naming the difference. Throws Interrupted when the observer asks to stop;
// everything done so far is in the folder then.
Results train_runs(const RunRequest& request, RunsObserver& observer);

}  // namespace emgnn
