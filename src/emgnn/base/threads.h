// SPDX-License-Identifier: Apache-2.0
// Parallel loops. Results never depend on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace emgnn {

using RangeBody = std::function<void(int64_t begin, int64_t end)>;

// A caller and `threads` - 1 workers, which are started when first needed. Belongs to a Context,
// through which programs choose it (base/context.h).
class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // >= 1
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Whether the work should end. Any thread of the pool asks, at any time; set before the first loop.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  bool stop_requested() const { return stop_ && stop_(); }
  // Whether that has been so for a second.
  bool overdue();

  // As parallel_for. While another thread's loop has the workers, the caller does all the work.
  void run(int64_t n, int64_t grain, const RangeBody& body);

  // The pool of this thread's loops. set_current returns the one before; nullptr: the process's.
  static ThreadPool& current();
  static ThreadPool* set_current(ThreadPool* pool);

 private:
  class Workers;

  int threads_;
  std::function<bool()> stop_;
  std::atomic<int64_t> asked_{
      0};             // when the wish to stop was first seen, ns of the steady clock; 0: not yet
  std::mutex mutex_;  // held while a loop uses the workers
  std::unique_ptr<Workers> workers_;
};

int hardware_threads();  // >= 1

// The number of threads of the parallel loops of this thread: that of the Context in scope, or all
// of the hardware's where there is none.
int num_threads();

// Calls body(begin, end) on consecutive ranges that cover [0, n). The cut points are multiples of
// `grain`, so that a body may rely on whole grains; an exception of a body is rethrown here.
void parallel_for(int64_t n, int64_t grain, const RangeBody& body);

// Interrupted when the Context in scope was asked to stop. Long work that leaves nothing behind calls
// it at least twice a second, from whichever thread. Training does not: it leaves a checkpoint, at
// points of its own.
void check_stop();

// The same once the wish is a second old. Large products call it between their tiles: where a gradient
// step or a prediction is quick it comes to its own end before that, and nothing is lost. Whoever
// trains has a checkpoint of an earlier moment.
void check_overdue();

}  // namespace emgnn
