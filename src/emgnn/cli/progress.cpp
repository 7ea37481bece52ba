// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/progress.h>

#include <fmt/format.h>

#include <emgnn/cli/interrupt.h>

namespace emgnn::cli {

namespace {

std::string score_text(const Scores& scores) {
  return scores.task == Task::kClassification ? fmt::format("{:.1f} %", 100.0 * scores.accuracy)
                                              : fmt::format("RMSE {:.3f}", scores.rmse);
}

}  // namespace

std::string molecule_text(const MoleculeProgress& progress, bool on_terminal) {
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  return fmt::format("molecules {}{} of {}", on_terminal ? bar(share) + "  " : "", progress.done,
                     progress.total);
}

void Progress::on_run(int64_t run, uint64_t /*seed*/) {
  run_ = run;
  validation_.reset();
}

void Progress::on_note(const std::string& note) { line_.say(note); }

bool Progress::on_molecule(const MoleculeProgress& progress) {
  start_ = Clock::now();  // the time left is that of training
  if (line_.due()) line_.show(molecule_text(progress, line_.on_terminal()));
  return !interrupt_requested();
}

void Progress::on_step(const StepInfo& step) {
  ++steps_done_;
  if (step.validation) validation_ = step.validation;
  if (line_.due()) line_.show(text(step));
}

bool Progress::stop_requested() { return interrupt_requested(); }

// As if no run stopped early.
std::string Progress::time_left(const StepInfo& step) const {
  const auto steps_left = static_cast<double>((runs_ - run_) * step.max_steps - step.step);
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const auto seconds =
      static_cast<int64_t>(spent / static_cast<double>(steps_done_) * steps_left + 0.5);
  return seconds < 3600
             ? fmt::format("{}:{:02}", seconds / 60, seconds % 60)
             : fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string Progress::text(const StepInfo& step) const {
  const double share = static_cast<double>(step.step) / static_cast<double>(step.max_steps);
  std::string out = fmt::format("run {}/{}", run_ + 1, runs_);
  out += line_.on_terminal()
             ? fmt::format(" {}  round {}", bar(share), step.round)
             : fmt::format(", round {}, step {} of {}", step.round, step.step, step.max_steps);
  const char* separator = line_.on_terminal() ? "  " : ", ";
  if (validation_) out += fmt::format("{}validation {}", separator, score_text(*validation_));
  return out + fmt::format("{}{} left", separator, time_left(step));
}

}  // namespace emgnn::cli
