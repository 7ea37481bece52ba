// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace emgnn::cli {

// How far the work is, on standard error: a line that is drawn over on a terminal, a new line now
// and then elsewhere.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool on_terminal() const { return terminal_; }
  bool due() const;  // the last text is old enough; never when quiet
  std::chrono::steady_clock::duration idle() const;  // since the last text
  void show(const std::string& text);
  void say(const std::string& text);  // a line that stays; nothing when quiet

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_, terminal_;
  mutable std::mutex mutex_;  // a phase is shown by a thread of its own
  Clock::time_point shown_ = Clock::now();
};

std::string bar(double share);  // "[######------------------]  25 %"

}  // namespace emgnn::cli
