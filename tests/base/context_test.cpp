// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/context.h>

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

// The threads that take part in a loop of 64 ranges that all dwell a moment.
std::set<std::thread::id> threads_of_a_loop() {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(64, 1, [&](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  return seen;
}

std::string message_of(const std::string& device) {
  try {
    parse_device(device);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Context, HasAllHardwareThreadsUnlessTold) {
  EXPECT_EQ(Context().threads(), hardware_threads());
  EXPECT_EQ(num_threads(), hardware_threads());
  EXPECT_EQ(Context(3).threads(), 3);
  EXPECT_THROW(Context(0), UsageError);
}

TEST(Context, ScopesNestAndRestore) {
  const int before = num_threads();
  {
    const Context::Scope outer{Context(3)};
    EXPECT_EQ(num_threads(), 3);
    {
      const Context::Scope inner{Context(1)};
      EXPECT_EQ(num_threads(), 1);
      EXPECT_EQ(threads_of_a_loop(), std::set{std::this_thread::get_id()});
    }
    EXPECT_EQ(num_threads(), 3);
  }
  EXPECT_EQ(num_threads(), before);
}

TEST(Context, ScopeEndsWithAnException) {
  const int before = num_threads();
  const auto fail = [&] {
    const Context::Scope scope{Context(before + 1)};
    parallel_for(100, 1, [](int64_t, int64_t) { throw DataError("x"); });
  };
  EXPECT_THROW(fail(), DataError);
  EXPECT_EQ(num_threads(), before);
}

TEST(Context, BelongsToTheThreadThatOpensItsScope) {
  const Context::Scope scope{Context(hardware_threads() + 1)};
  int seen = 0;
  std::thread([&] { seen = num_threads(); }).join();
  EXPECT_EQ(seen, hardware_threads());
}

TEST(Context, IsSeenByTheBodiesOfItsLoops) {
  const Context::Scope scope{Context(hardware_threads() + 2)};
  parallel_for(64, 1, [](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(num_threads(), hardware_threads() + 2);
  });
}

TEST(Context, CopiesShareTheirThreadsAndOutliveTheOriginal) {
  auto original = std::make_unique<Context>(2);
  const Context copy = *original;
  const auto threads_in = [](const Context& context) {
    const Context::Scope scope(context);
    return threads_of_a_loop();
  };
  std::set<std::thread::id> all = threads_in(*original);
  original.reset();
  all.merge(threads_in(copy));
  EXPECT_LE(all.size(), 2U);
}

TEST(Context, TwoAtOnceHaveTheirOwnThreadsAndGiveRightResults) {
  constexpr int64_t kSize = 10000, kRounds = 50;
  std::latch both_ready(2);
  const auto work = [&](int threads, std::vector<int64_t>& sums, int& number) {
    const Context::Scope scope{Context(threads)};
    number = num_threads();
    both_ready.arrive_and_wait();
    for (int64_t round = 0; round < kRounds; ++round) {
      std::vector<int64_t> square(kSize);
      parallel_for(kSize, 16, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) square[static_cast<size_t>(i)] = i * i + round;
      });
      sums.push_back(std::accumulate(square.begin(), square.end(), int64_t{0}));
    }
  };
  std::vector<int64_t> sums_of_two, sums_of_five, expected;
  int two = 0, five = 0;
  std::thread other([&] { work(5, sums_of_five, five); });
  work(2, sums_of_two, two);
  other.join();
  // Σ i² + n·round
  for (int64_t round = 0; round < kRounds; ++round)
    expected.push_back((kSize - 1) * kSize * (2 * kSize - 1) / 6 + kSize * round);
  EXPECT_EQ(two, 2);
  EXPECT_EQ(five, 5);
  EXPECT_EQ(sums_of_two, expected);
  EXPECT_EQ(sums_of_five, expected);
}

TEST(Device, IsWrittenAsItIsRead) {
  EXPECT_EQ(parse_device("cpu"), Device::kCpu);
  EXPECT_EQ(to_string(Device::kCpu), "cpu");
  EXPECT_EQ(Context(1).device(), Device::kCpu);
}

TEST(Device, RefusesWhatThisBuildHasNot) {
  for (const char* cuda : {"cuda", "cuda:0", "cuda:12"})
    EXPECT_EQ(message_of(cuda), "this build has no CUDA; use cpu");
  for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cudax", "CPU"})
    EXPECT_EQ(message_of(wrong), fmt::format("the device must be cpu or cuda[:i] (got {})", wrong));
}

}  // namespace
}  // namespace emgnn
