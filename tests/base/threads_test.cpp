// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/threads.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>

namespace emgnn {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnceAndCutsAtGrains) {
  for (int threads : {1, 2, 5}) {
    const Context::Scope scope{Context(threads)};
    for (int64_t n : {0, 1, 7, 64, 1000}) {
      std::vector<int> visits(static_cast<size_t>(n));
      parallel_for(n, 16, [&](int64_t begin, int64_t end) {
        EXPECT_EQ(begin % 16, 0);
        for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      });
      for (int v : visits) EXPECT_EQ(v, 1);
    }
  }
}

TEST(ParallelFor, RethrowsTheBodysExceptionAndRunsAgain) {
  for (int threads : {1, 2}) {
    const Context::Scope scope{Context(threads)};
    EXPECT_THROW(parallel_for(1000, 1, [](int64_t, int64_t) { throw std::runtime_error("x"); }),
                 std::runtime_error);
    std::atomic<int64_t> sum{0};
    parallel_for(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum.load(), 1000);
  }
}

TEST(ParallelFor, RunsInsideAnotherLoopAndFromSeveralThreads) {
  for (int threads : {1, 3}) {
    const Context shared(threads);
    std::atomic<int64_t> sum{0};
    const auto loop = [&] {
      const Context::Scope scope(shared);
      parallel_for(100, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          parallel_for(10, 1, [&](int64_t b, int64_t e) { sum += e - b; });
        }
      });
    };
    std::thread other(loop);
    loop();
    other.join();
    EXPECT_EQ(sum.load(), 2 * 100 * 10);
  }
}

TEST(Stop, IsOverdueASecondAfterItWasFirstSeen) {
  std::atomic<bool> asked = false;
  const Context::Scope scope{Context(2, Device::kCpu, [&] { return asked.load(); })};
  EXPECT_NO_THROW(check_overdue());
  asked = true;
  EXPECT_THROW(check_stop(), Interrupted);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NO_THROW(check_overdue());
  EXPECT_THROW(while (std::chrono::steady_clock::now() - start < std::chrono::seconds(10))
                   check_overdue(),
               Interrupted);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace emgnn
