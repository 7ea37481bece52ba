// SPDX-License-Identifier: Apache-2.0
// A pool of our own rather than OpenMP: an OpenMP loop ends with all its threads, so on a busy
// machine every small loop waits until the scheduler has run each of them. Here the caller works
// too and waits only for the ranges that some worker has really begun; workers that come late find
// nothing left to do.
#include <emgnn/base/threads.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
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
  const std::function<void(int64_t, int64_t)>* body;
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

class Pool {
 public:
  explicit Pool(int num_workers) {
    try {
      for (int i = 0; i < num_workers; ++i) workers_.emplace_back([this] { serve(); });
    } catch (const std::system_error& error) {
      shut_down();
      throw Error(fmt::format("cannot start {} threads: {}", num_workers + 1, error.what()));
    } catch (...) {
      shut_down();
      throw;
    }
  }

  ~Pool() { shut_down(); }

  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int num_workers() const { return static_cast<int>(workers_.size()); }

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
    for (std::thread& worker : workers_) worker.join();
  }

  void serve() {
    inside_loop = true;
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

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<uint64_t> published_{0};
  Job* job_ = nullptr;
  int active_ = 0;
  bool stop_ = false;
};

struct Setting {
  std::mutex mutex;  // held while a loop uses the pool
  std::atomic<int> num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::unique_ptr<Pool> pool;  // made when first needed
};

Setting& setting() {
  static Setting value;
  return value;
}

}  // namespace

int num_threads() { return setting().num_threads; }

void set_num_threads(int n) {
  EMGNN_CHECK(n >= 1, "the number of threads must be at least 1", n);
  setting().num_threads = n;
}

void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  EMGNN_DCHECK(grain >= 1);
  if (n <= 0) return;
  Setting& shared = setting();
  // Inside another loop, or while another thread's loop has the pool, the work is done here.
  const int threads = shared.num_threads;
  std::unique_lock lock(shared.mutex, std::defer_lock);
  if (threads == 1 || inside_loop || n <= grain || !lock.try_lock()) {
    body(0, n);
    return;
  }
  if (!shared.pool || shared.pool->num_workers() != threads - 1) {
    shared.pool.reset();  // first, so that a failure leaves no pool of another size
    shared.pool = std::make_unique<Pool>(threads - 1);
  }
  const int64_t num_grains = (n + grain - 1) / grain;
  const int64_t range = std::max<int64_t>(1, num_grains / (threads * kRangesPerThread)) * grain;
  Job job{.body = &body, .n = n, .range = range, .num_ranges = (n + range - 1) / range};
  inside_loop = true;
  shared.pool->run(job);
  inside_loop = false;
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace emgnn
