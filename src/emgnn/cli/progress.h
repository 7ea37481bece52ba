// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

#include <emgnn/cli/phase_watch.h>
#include <emgnn/cli/status_line.h>
#include <emgnn/run/request.h>

namespace emgnn::cli {

// Shows how far the runs are. Also carries Ctrl-C to the library.
class Progress : public RunsObserver {
 public:
  // `holds_work`: whatever a run is busy with, there is more to lose than the run.
  Progress(int64_t runs, bool quiet, bool holds_work = false)
      : runs_(runs), holds_work_(holds_work), line_(quiet) {}

  void on_run(int64_t run, uint64_t seed) override;
  void on_note(const std::string& note) override;
  void on_phase(const Phase& phase) override {
    watch_.enter({phase.what, holds_work_ || phase.holds_work});
  }
  bool on_molecule(const MoleculeProgress& progress) override;
  void on_epoch(const EpochRecord& epoch, const ScoreInfo& main) override;
  bool stop_requested() override;

 private:
  using Clock = std::chrono::steady_clock;

  std::string time_left(const EpochRecord& epoch) const;
  std::string text(const EpochRecord& epoch) const;

  int64_t runs_;
  bool holds_work_;
  StatusLine line_;
  PhaseWatch watch_{line_};
  int64_t run_ = 0;
  int64_t epochs_done_ = 0;  // by this process
  std::string validation_;   // the last one
  std::set<std::string> said_;
  Clock::time_point start_ = Clock::now();
};

// "molecules [####----]  50 %  320 of 642"
std::string molecule_text(const MoleculeProgress& progress, bool on_terminal);

}  // namespace emgnn::cli
