// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/interrupt.h>

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace emgnn::cli {

namespace {

volatile std::sig_atomic_t requested = 0;

void handle(int /*signal*/) {
  if (requested != 0) {
    constexpr std::string_view kLine =
        "emgnn: interrupted twice; what was not yet written is lost\n";
    const ssize_t ignored = write(STDERR_FILENO, kLine.data(), kLine.size());
    (void)ignored;
    _exit(kExitInterrupted);
  }
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

}  // namespace emgnn::cli
