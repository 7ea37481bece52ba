// SPDX-License-Identifier: Apache-2.0
// Our way to compute some tensors beside others: checked against each other, then timed in one run,
// with the ratios at the end. Runs are named WHAT/emgnn and WHAT/peer-....
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/base/rng.h>

namespace emgnn {

inline at::Tensor random_tensor(at::IntArrayRef sizes, uint64_t step) {
  Rng rng(2, Stream::kTest, step);
  at::Tensor out = at::empty(sizes);
  for (int64_t i = 0; i < out.numel(); ++i)
    out.data_ptr<float>()[i] = static_cast<float>(rng.uniform(-1.0, 1.0));
  return out;
}

// Outputs and gradients, in a fixed order.
using Answers = std::vector<at::Tensor>;

// Each within `tolerance` of the largest number of its tensor.
inline void check_same(const std::string& name, const Answers& ours, const Answers& theirs,
                       double tolerance) {
  if (ours.size() != theirs.size() || ours.empty()) {
    std::fprintf(stderr, "%s: %zu answers and %zu\n", name.c_str(), ours.size(), theirs.size());
    std::exit(1);
  }
  for (size_t k = 0; k < ours.size(); ++k) {
    const double error = (ours[k] - theirs[k]).abs().max().item<double>();
    const double scale = theirs[k].abs().max().item<double>();
    if (scale > 0.0 && error <= tolerance * scale) continue;
    std::fprintf(stderr, "%s: answer %zu is off by %.3g, its largest number is %.3g\n",
                 name.c_str(), k, error, scale);
    std::exit(1);
  }
}

// `aten_threads`: of LibTorch's own operations. They are set before the clock starts: a change makes
// threads anew. Training sets one for ours; a peer is worth timing with one and with two, since on
// busy cores threads that wait for each other can cost more than they gain.
template <class F>
void register_timed(const std::string& name, F f, int aten_threads = 2) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [f, aten_threads](benchmark::State& state) {
                                 at::set_num_threads(aten_threads);
                                 for (auto _ : state) benchmark::DoNotOptimize(f());
                               })
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

// Prints runs as usual, and at the end how much longer each peer takes. Of repetitions the quickest
// counts: what else runs on the machine only adds time.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      const Times now{run.GetAdjustedRealTime(), run.GetAdjustedCPUTime()};
      const auto [at, first] = times_.try_emplace(run.run_name.function_name, now);
      if (!first && now.wall < at->second.wall) at->second = now;
    }
  }

  void Finalize() override {
    std::map<std::string, double> least;  // ratio of each WHAT
    for (const auto& [name, peer] : times_) {
      const std::string what = name.substr(0, name.rfind('/'));
      const auto ours = times_.find(what + "/emgnn");
      if (ours == times_.end() || ours->first == name) continue;
      const double ratio = peer.wall / ours->second.wall;
      std::printf("%s takes %.2f times as long as emgnn (processor time %.2f)\n", name.c_str(),
                  ratio, peer.cpu / ours->second.cpu);
      const auto [at, first] = least.try_emplace(what, ratio);
      if (!first) at->second = std::min(at->second, ratio);
    }
    for (const auto& [what, ratio] : least)
      std::printf("%s: the fastest peer takes %.2f times as long\n", what.c_str(), ratio);
  }

 private:
  struct Times {
    double wall, cpu;
  };
  std::map<std::string, Times> times_;
};

inline int run_beside(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}

}  // namespace emgnn
