// SPDX-License-Identifier: Apache-2.0
// Candidate edges, beside the obvious blocked product: unit rows as a dense matrix, LibTorch's
// product of 1024 rows with all, and the pairs above the threshold. The pairs of both are compared
// before anything is timed. EMGNN_BENCH_MILLION=1 adds a million generated rows of 50 words,
// without a peer: their copies are checked instead.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/registry.h>
#include <emgnn/space/candidate_edges.h>

namespace emgnn {
namespace {

struct Problem {
  Csr x, adjacency;
  CandidateOptions options;
};

void fail(const std::string& what) {
  std::fprintf(stderr, "candidates_bench: %s\n", what.c_str());
  std::exit(1);
}

at::Tensor unit_rows(const Csr& x) {
  at::Tensor out = at::zeros({x.num_rows, x.num_cols});
  float* val = out.data_ptr<float>();
  for (int64_t i = 0; i < x.num_rows; ++i) {
    double squares = 0.0;
    for (int32_t e = x.rowptr[i]; e < x.rowptr[i + 1]; ++e)
      squares += double(x.value(e)) * x.value(e);
    for (int32_t e = x.rowptr[i]; e < x.rowptr[i + 1]; ++e)
      val[i * x.num_cols + x.col[e]] = static_cast<float>(x.value(e) / std::sqrt(squares));
  }
  return out;
}

// Pairs u < v with a cosine above the threshold, edges or not. `margin` keeps float32 from deciding
// ties.
std::vector<std::pair<int32_t, int32_t>> blocked_product(const Problem& p, double margin) {
  constexpr int64_t kBlock = 1024;
  const at::Tensor unit = unit_rows(p.x);
  std::vector<std::pair<int32_t, int32_t>> out;
  for (int64_t begin = 0; begin < unit.size(0); begin += kBlock) {
    const int64_t end = std::min(unit.size(0), begin + kBlock);
    const at::Tensor later = unit.slice(0, begin);  // partners from this block on
    const at::Tensor above =
        at::mm(unit.slice(0, begin, end), later.t()) > p.options.threshold + margin;
    const at::Tensor hits = at::nonzero(above).contiguous();
    const int64_t* hit = hits.data_ptr<int64_t>();
    for (int64_t k = 0; k < hits.size(0); ++k)
      if (hit[2 * k] < hit[2 * k + 1])
        out.emplace_back(int32_t(begin + hit[2 * k]), int32_t(begin + hit[2 * k + 1]));
  }
  return out;
}

void check_equal(const std::string& name, const Problem& p) {
  const Csr no_edges{p.x.num_rows, p.x.num_rows, std::vector<int32_t>(p.x.rowptr.size(), 0)};
  std::vector<std::pair<int32_t, int32_t>> ours;
  for (const CandidateEdge& e : candidate_edges(p.x, no_edges, p.options))
    ours.emplace_back(e.u, e.v);
  auto theirs = blocked_product(p, 1e-5);
  std::sort(theirs.begin(), theirs.end());
  if (ours != theirs)
    fail(fmt::format("{}: {} pairs, {} by the blocked product", name, ours.size(), theirs.size()));
}

double cpu_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

// Times f and notes its CPU seconds per call; where there is a rival, shows by what factor f costs
// more.
template <class F>
void time_it(const std::string& name, F f, std::shared_ptr<double> cost,
             std::shared_ptr<double> rival) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 const double start = cpu_seconds();
                                 for (auto _ : state) benchmark::DoNotOptimize(f());
                                 *cost = (cpu_seconds() - start) / double(state.iterations());
                                 if (rival && *rival > 0.0)
                                   state.counters["cpu_ratio"] = *cost / *rival;
                               })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->MeasureProcessCPUTime();
}

void register_case(const std::string& dataset, double threshold) {
  auto p = std::make_shared<Problem>();
  try {
    Dataset d = load_dataset({.name = dataset, .use_cache = false});
    p->x = std::move(d.features.sparse);
    p->adjacency = std::move(d.graph.relations[0].adjacency);
  } catch (const DataError& error) {
    std::fprintf(stderr, "candidates_bench: left out: %s\n", error.what());
    return;
  }
  p->options.threshold = threshold;
  check_equal(dataset, *p);
  const std::string prefix = fmt::format("BM_Candidates/{}/{}", dataset, threshold);
  const auto ours = std::make_shared<double>(0.0);
  time_it(
      prefix + "/emgnn", [p] { return candidate_edges(p->x, p->adjacency, p->options); }, ours,
      nullptr);
  time_it(
      prefix + "/blocked-product", [p] { return blocked_product(*p, 0.0); },
      std::make_shared<double>(0.0), ours);
}

// 50 words of 50,000 for each row; rows 10k + 1 are rows 10k with two words replaced.
std::shared_ptr<Problem> million_rows(bool zipf) {
  constexpr int32_t kRows = 1'000'000, kWords = 50'000, kPerRow = 50;
  auto p = std::make_shared<Problem>();
  p->x.num_rows = p->adjacency.num_rows = p->adjacency.num_cols = kRows;
  p->x.num_cols = kWords;
  p->adjacency.rowptr.assign(kRows + 1, 0);
  p->options.threshold = 0.9;
  std::vector<int32_t> row;
  for (int32_t i = 0; i < kRows; ++i) {
    Rng rng(1, Stream::kTest, uint64_t(i));
    row.resize(i % 10 == 1 ? size_t(kPerRow - 2) : 0);
    while (row.size() < size_t(kPerRow)) {
      // 50,000^u for uniform u has a density proportional to 1/word.
      const double u = rng.uniform();
      row.push_back(static_cast<int32_t>(zipf ? std::pow(double(kWords), u) : u * kWords));
      if (std::count(row.begin(), row.end(), row.back()) > 1) row.pop_back();
    }
    std::vector<int32_t> sorted = row;
    std::sort(sorted.begin(), sorted.end());
    p->x.col.insert(p->x.col.end(), sorted.begin(), sorted.end());
    p->x.rowptr.push_back(static_cast<int32_t>(p->x.col.size()));
  }
  return p;
}

void register_million(const char* name, bool zipf) {
  const auto p = million_rows(zipf);
  const auto search = [p] {
    auto found = candidate_edges(p->x, p->adjacency, p->options);
    const auto copies = std::count_if(found.begin(), found.end(), [](const CandidateEdge& e) {
      return e.u % 10 == 0 && e.v == e.u + 1;
    });
    if (copies != p->x.num_rows / 10) fail(fmt::format("{} copies of 100000 found", copies));
    return found;
  };
  benchmark::RegisterBenchmark(fmt::format("BM_Candidates/million/{}/0.9", name).c_str(),
                               [search](benchmark::State& state) {
                                 for (auto _ : state) benchmark::DoNotOptimize(search());
                               })
      ->Unit(benchmark::kSecond)
      ->UseRealTime()
      ->MeasureProcessCPUTime()
      ->Iterations(1);
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  const emgnn::Context::Scope threads{emgnn::Context(2)};
  at::set_num_threads(2);
  benchmark::Initialize(&argc, argv);
  emgnn::register_case("cora", 0.5);
  emgnn::register_case("citeseer", 0.6);
  for (const double threshold : {0.5, 0.7, 0.9}) {
    emgnn::register_case("pubmed-presence", threshold);
  }
  if (std::getenv("EMGNN_BENCH_MILLION") != nullptr) {
    emgnn::register_million("uniform", false);
    emgnn::register_million("zipf", true);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
