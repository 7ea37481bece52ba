// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/interrupt.h>

#include <unistd.h>

#include <csignal>
#include <ctime>
#include <string_view>

#include <emgnn/base/error.h>

namespace emgnn::cli {

namespace {

volatile std::sig_atomic_t requested = 0;
// When the first signal came: its other signals say nothing new. `timeout` sends two at once, to the
// process and to its group.
timespec first_signal{};

bool is_echo() {
  constexpr long kNanoseconds = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long since =
      (now.tv_sec - first_signal.tv_sec) * kNanoseconds + (now.tv_nsec - first_signal.tv_nsec);
  return since < kNanoseconds / 2;
}

void handle(int /*signal*/) {
  if (requested != 0) {
    if (is_echo()) return;
    constexpr std::string_view kLine =
        "emgnn: interrupted twice; what was not yet written is lost\n";
    const ssize_t ignored = write(STDERR_FILENO, kLine.data(), kLine.size());
    (void)ignored;
    _exit(kExitInterrupted);
  }
  clock_gettime(CLOCK_MONOTONIC, &first_signal);
  requested = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupt_requested() { return requested != 0; }

Context listening_context() {
  return Context(hardware_threads(), Device::kCpu, interrupt_requested);
}

void stop_if_interrupted() {
  if (interrupt_requested()) throw Interrupted("interrupted; nothing was written");
}

}  // namespace emgnn::cli
