// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/status_line.h>

#include <unistd.h>

#include <fmt/format.h>

#include <cstdio>

namespace emgnn::cli {

namespace {

constexpr int kBarWidth = 24;
constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::seconds kLinePeriod{5};
constexpr const char* kClearLine = "\r\033[K";

}  // namespace

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  if (!quiet_ && terminal_) std::fputs(kClearLine, stderr);
}

bool StatusLine::due() const {
  if (quiet_) return false;
  const auto waited = idle();
  return terminal_ ? waited >= kTerminalPeriod : waited >= kLinePeriod;
}

std::chrono::steady_clock::duration StatusLine::idle() const {
  const std::lock_guard lock(mutex_);
  return Clock::now() - shown_;
}

void StatusLine::show(const std::string& text) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  shown_ = Clock::now();
  const std::string line = terminal_ ? kClearLine + text : text + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void StatusLine::say(const std::string& text) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  std::fputs(((terminal_ ? kClearLine : "") + text + "\n").c_str(), stderr);
}

std::string bar(double share) {
  const auto filled = static_cast<int>(share * kBarWidth);
  return fmt::format("[{:#<{}}{:-<{}}] {:3.0f} %", "", filled, "", kBarWidth - filled,
                     100.0 * share);
}

}  // namespace emgnn::cli
