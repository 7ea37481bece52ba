// SPDX-License-Identifier: Apache-2.0
// A pool of our own rather than OpenMP: an OpenMP loop ends with all its threads, so on a busy
// machine every small loop waits until the scheduler has run each of them. Here the caller works
// too and waits only for the ranges that some worker has really begun; workers that come late find
// nothing left to do.
#include <emgnn/base/threads.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

// Ranges a thread takes at a time: several per thread, so that uneven rows balance out.
constexpr int64_t kRangesPerThread = 8;
// Polls of an idle worker before it sleeps (some tens of microseconds): loops follow each other
// closely in training.
constexpr int kSpins = 2000;

struct Job {
  const RangeBody* body;
  int64_t n, range, num_ranges;
  std::atomic<int64_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;

  void work() {
    for (int64_t r = next.fetch_add(1); r < num_ranges; r = next.fetch_add(1)) {
      try {
        (*body)(r * range, std::min(n, (r + 1) * range));
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        failure = std::current_exception();
      }
    }
  }
};

thread_local bool inside_loop = false;
thread_local ThreadPool* current_pool = nullptr;

}  // namespace

class ThreadPool::Workers {
 public:
  Workers(ThreadPool& pool, int num_workers) {
    try {
      for (int i = 0; i < num_workers; ++i) threads_.emplace_back([this, &pool] { serve(pool); });
    } catch (const std::system_error& error) {
      shut_down();
      throw Error(fmt::format("cannot start {} threads: {}", num_workers + 1, error.what()));
    } catch (...) {
      shut_down();
      throw;
    }
  }

  ~Workers() { shut_down(); }

  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void run(Job& job) {
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++published_;
    }
    wake_.notify_all();
    job.work();
    std::unique_lock lock(mutex_);
    job_ = nullptr;  // a worker that wakes from now on finds nothing
    done_.wait(lock, [&] { return active_ == 0; });
  }

 private:
  void shut_down() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      ++published_;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void serve(ThreadPool& pool) {
    inside_loop = true;
    current_pool = &pool;  // a body finds the caller's number of threads
    uint64_t seen = 0;
    while (true) {
      for (int i = 0; i < kSpins && published_.load(std::memory_order_relaxed) == seen; ++i) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      }
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return published_.load() != seen; });
      seen = published_.load();
      if (stop_) return;
      Job* job = job_;
      if (job == nullptr) continue;
      ++active_;
      lock.unlock();
      job->work();
      lock.lock();
      if (--active_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<uint64_t> published_{0};
  Job* job_ = nullptr;
  int active_ = 0;
  bool stop_ = false;
};

ThreadPool::ThreadPool(int threads) : threads_(threads) {
  EMGNN_CHECK(threads >= 1, "the number of threads must be at least 1", threads);
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(int64_t n, int64_t grain, const RangeBody& body) {
  EMGNN_DCHECK(grain >= 1);
  if (n <= 0) return;
  // Inside another loop, or while another thread's loop has the workers, the work is done here.
  std::unique_lock lock(mutex_, std::defer_lock);
  if (threads_ == 1 || inside_loop || n <= grain || !lock.try_lock()) {
    body(0, n);
    return;
  }
  if (!workers_) workers_ = std::make_unique<Workers>(*this, threads_ - 1);
  const int64_t num_grains = (n + grain - 1) / grain;
  const int64_t range = std::max<int64_t>(1, num_grains / (threads_ * kRangesPerThread)) * grain;
  Job job{.body = &body, .n = n, .range = range, .num_ranges = (n + range - 1) / range};
  inside_loop = true;
  workers_->run(job);
  inside_loop = false;
  if (job.failure) std::rethrow_exception(job.failure);
}

ThreadPool& ThreadPool::current() {
  if (current_pool != nullptr) return *current_pool;
  static ThreadPool process_pool(hardware_threads());
  return process_pool;
}

ThreadPool* ThreadPool::set_current(ThreadPool* pool) { return std::exchange(current_pool, pool); }

int hardware_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int num_threads() { return ThreadPool::current().threads(); }

void check_stop() {
  if (ThreadPool::current().stop_requested()) throw Interrupted("interrupted");
}

bool ThreadPool::overdue() {
  constexpr int64_t kPatience = 1'000'000'000;
  if (!stop_requested()) return false;
  const int64_t now =
      std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  int64_t asked = 0;
  if (asked_.compare_exchange_strong(asked, now)) asked = now;
  return now - asked > kPatience;
}

void check_overdue() {
  if (ThreadPool::current().overdue()) throw Interrupted("interrupted");
}

void parallel_for(int64_t n, int64_t grain, const RangeBody& body) {
  ThreadPool::current().run(n, grain, body);
}

}  // namespace emgnn
