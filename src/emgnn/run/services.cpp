// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/services.h>

#include <emgnn/base/error.h>
#include <emgnn/base/memory.h>
#include <emgnn/base/module.h>

namespace emgnn {

namespace {

// Opening the library with less can end the process without a word.
void check_room() {
  const int64_t limit = memory_limit();
  if (limit > 0 && limit < kLeastMemory)
    throw Error(fmt::format("{} (ulimit -d) are too little: the program and its libraries take {}",
                            bytes_in_words(limit), bytes_in_words(kLeastMemory)));
}

}  // namespace

const Services& services() {
  // A failure is not kept: the next call tries again.
  static const Services* const opened = [] {
    check_room();
    const OpenedModule module = open_module(module_files(EMGNN_LIBRARY), "emgnn_services");
    if (module.symbol == nullptr) {
      throw Error(fmt::format("{} cannot be loaded: {}", module.file.string(), module.reason));
    }
    using Entry = const Services* (*)();
    return reinterpret_cast<Entry>(module.symbol)();
  }();
  return *opened;
}

}  // namespace emgnn
