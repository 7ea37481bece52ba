// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/phase_watch.h>

#include <unistd.h>

#include <csignal>

#include <fmt/format.h>

#include <emgnn/cli/interrupt.h>

namespace emgnn::cli {

namespace {

constexpr std::chrono::milliseconds kPeriod{100}, kLong{1000}, kPatience{1500};

}  // namespace

// Signals are for the thread of the program.
PhaseWatch::PhaseWatch(StatusLine& line) : line_(line) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

PhaseWatch::~PhaseWatch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void PhaseWatch::enter(const Phase& phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  progress_.clear();
  began_ = Clock::now();
  shown_ = false;
}

void PhaseWatch::reach(const std::string& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void PhaseWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kPeriod, [&] { return done_; })) {
    if (!phase_) continue;
    show();
    end_if_overdue();
  }
}

void PhaseWatch::show() {
  const auto spent = Clock::now() - began_;
  if (spent < kLong || line_.idle() < kLong || (shown_ && !line_.due())) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(spent).count();
  line_.show(progress_.empty() ? fmt::format("{}, {} s", phase_->what, seconds) : progress_);
  shown_ = true;
}

void PhaseWatch::end_if_overdue() {
  if (!interrupt_requested()) return;
  const auto now = Clock::now();
  if (!interrupted_) interrupted_ = now;
  if (phase_->holds_work || now - *interrupted_ < kPatience) return;
  const std::string text =
      fmt::format("emgnn: interrupted while {}; nothing was written\n", phase_->what);
  const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  (void)ignored;
  _exit(kExitInterrupted);
}

}  // namespace emgnn::cli
