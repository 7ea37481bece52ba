// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <emgnn/cli/status_line.h>
#include <emgnn/run/request.h>

namespace emgnn::cli {

// A thread that looks at what the program is busy with. A phase that says nothing by itself for a
// second is shown with how far it is, or else with its time. After Ctrl-C or SIGTERM a phase that holds no work and does not
// notice within a second and a half ends with the process.
class PhaseWatch {
 public:
  explicit PhaseWatch(StatusLine& line);
  ~PhaseWatch();
  PhaseWatch(const PhaseWatch&) = delete;
  PhaseWatch& operator=(const PhaseWatch&) = delete;

  void enter(const Phase& phase);
  void reach(const std::string& progress);

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  void show();
  void end_if_overdue();

  StatusLine& line_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Phase> phase_;
  std::string progress_;
  Clock::time_point began_;
  bool shown_ = false;                            // in this phase
  std::optional<Clock::time_point> interrupted_;  // when it was first seen
  bool done_ = false;
  std::thread thread_;  // last: it sees all of the above
};

}  // namespace emgnn::cli
