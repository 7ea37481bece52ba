// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/base/context.h>

namespace emgnn::cli {

inline constexpr int kExitInterrupted = 4;

// From now on the first Ctrl-C or SIGTERM asks for an orderly end; a second one ends the program at
// once, unless it comes within half a second, as a part of the first.
void catch_interrupts();
bool interrupt_requested();
Context listening_context();  // its loops end at that wish, too
// Interrupted, where that has happened to a command that keeps nothing of what it began.
void stop_if_interrupted();

}  // namespace emgnn::cli
