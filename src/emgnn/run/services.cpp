// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/services.h>

#include <emgnn/base/error.h>
#include <emgnn/base/module.h>

namespace emgnn {

const Services& services() {
  // A failure is not kept: the next call tries again.
  static const Services* const opened = [] {
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
