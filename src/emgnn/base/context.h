// SPDX-License-Identifier: Apache-2.0
// What a computation runs on: a device and threads. A program makes a Context and passes it down;
// there is no setting of the process.
//   const Context context(4);
//   const Context::Scope scope(context);  // the loops of this thread now use 4 threads
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <emgnn/base/threads.h>

namespace emgnn {

enum class Device { kCpu };

std::string to_string(Device device);        // "cpu"
Device parse_device(std::string_view text);  // "cpu" or "cuda[:i]"; UsageError for what is not here

// Copies share their threads. Two threads may use one context at once: the one that comes second
// runs its loop by itself.
class Context {
 public:
  // threads >= 1. `stop` says whether the user wants an end (check_stop); any thread may call it.
  explicit Context(int threads = hardware_threads(), Device device = Device::kCpu,
                   std::function<bool()> stop = {});

  int threads() const { return pool_->threads(); }
  Device device() const { return device_; }

  // While it lives, the parallel loops of the thread that made it use the context. Scopes nest; the
  // end of one restores the one before.
  class Scope;

 private:
  std::shared_ptr<ThreadPool> pool_;
  Device device_;
};

class Context::Scope {
 public:
  explicit Scope(Context context);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Context context_;
  ThreadPool* before_;
};

}  // namespace emgnn
