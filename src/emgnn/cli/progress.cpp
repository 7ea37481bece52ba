// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/progress.h>

#include <fmt/format.h>

#include <emgnn/cli/interrupt.h>
#include <emgnn/report/results_table.h>

namespace emgnn::cli {

std::string molecule_text(const MoleculeProgress& progress, bool on_terminal) {
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  return fmt::format("molecules {}{} of {}", on_terminal ? bar(share) + "  " : "", progress.done,
                     progress.total);
}

void Progress::on_run(int64_t run, uint64_t /*seed*/) {
  run_ = run;
  validation_.clear();
}

// What is true of every run is said once.
void Progress::on_note(const std::string& note) {
  if (said_.insert(note).second) line_.say(note);
}

bool Progress::on_molecule(const MoleculeProgress& progress) {
  start_ = Clock::now();  // the time left is that of training
  if (line_.due()) line_.show(molecule_text(progress, line_.on_terminal()));
  return !interrupt_requested();
}

void Progress::on_epoch(const EpochRecord& epoch, const ScoreInfo& main) {
  ++epochs_done_;
  if (epoch.validation) {
    const double value = epoch.validation->scores.at(main.name);
    validation_ =
        fmt::format("{} {}{}", main.name, score_text(main, value), main.percent ? " %" : "");
  }
  const std::string now = text(epoch);
  watch_.reach(now);
  if (line_.due()) line_.show(now);
}

bool Progress::stop_requested() { return interrupt_requested(); }

// As if no run stopped early.
std::string Progress::time_left(const EpochRecord& epoch) const {
  const auto epochs_left = static_cast<double>((runs_ - run_) * epoch.max_epochs - epoch.epoch);
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const auto seconds =
      static_cast<int64_t>(spent / static_cast<double>(epochs_done_) * epochs_left + 0.5);
  return seconds < 3600
             ? fmt::format("{}:{:02}", seconds / 60, seconds % 60)
             : fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string Progress::text(const EpochRecord& epoch) const {
  const double share = static_cast<double>(epoch.epoch) / static_cast<double>(epoch.max_epochs);
  const char* separator = line_.on_terminal() ? "  " : ", ";
  std::string out = fmt::format("run {}/{}", run_ + 1, runs_);
  out += line_.on_terminal() ? " " + bar(share)
                             : fmt::format(", epoch {} of {}", epoch.epoch, epoch.max_epochs);
  if (epoch.round > 0) out += fmt::format("{}round {}", separator, epoch.round);
  if (!validation_.empty()) out += fmt::format("{}validation {}", separator, validation_);
  return out + fmt::format("{}{} left", separator, time_left(epoch));
}

}  // namespace emgnn::cli
