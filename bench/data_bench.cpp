// SPDX-License-Identifier: Apache-2.0
// Loading: each dataset of $EMGNN_DATA from its files and from the cache (the two are compared
// first), and a CSV graph of a million edges.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/data/registry.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

// A folder that goes with the program.
struct Scratch {
  fs::path path = fs::temp_directory_path() / ("emgnn-data-bench-" + std::to_string(getpid()));
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
};

void fail(const std::string& what) {
  std::fprintf(stderr, "data_bench: %s\n", what.c_str());
  std::exit(1);
}

void check_same(const std::string& name, const Dataset& a, const Dataset& b) {
  bool same = a.labels.cls == b.labels.cls && a.features.sparse.col == b.features.sparse.col &&
              a.features.sparse.val == b.features.sparse.val &&
              a.graph.relations.size() == b.graph.relations.size();
  for (size_t t = 0; same && t < a.graph.relations.size(); ++t) {
    same = a.graph.relations[t].adjacency.col == b.graph.relations[t].adjacency.col;
  }
  if (!same) fail(name + ": the cache gives another dataset than the files");
}

void register_load(const std::string& name) {
  DatasetRequest files;
  files.name = name;
  files.use_cache = false;
  DatasetRequest cached = files;
  cached.use_cache = true;
  try {
    parse_dataset(cached);  // writes the cache
    check_same(name, parse_dataset(files).dataset, parse_dataset(cached).dataset);
  } catch (const DataError& error) {
    std::fprintf(stderr, "data_bench: left out: %s\n", error.what());
    return;
  }
  const auto timed = [](DatasetRequest request) {
    return [request](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(parse_dataset(request));
    };
  };
  benchmark::RegisterBenchmark(("BM_Load/" + name + "/files").c_str(), timed(files))
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("BM_Load/" + name + "/cache").c_str(), timed(cached))
      ->Unit(benchmark::kMillisecond);
}

void register_import(const fs::path& directory) {
  constexpr int kNodes = 200'000, kEdges = 1'000'000;
  std::string nodes = "id,label\n", edges = "source,target,type\n";
  for (int i = 0; i < kNodes; ++i) nodes += fmt::format("node-{},{}\n", i, i % 5);
  Rng rng(1, Stream::kTest);
  for (int i = 0; i < kEdges; ++i) {
    edges += fmt::format("node-{},node-{},{}\n", rng.below(kNodes), rng.below(kNodes),
                         i % 3 == 0 ? "likes" : "knows");
  }
  fs::create_directories(directory);
  write_atomically(directory / "nodes.csv", nodes);
  write_atomically(directory / "edges.csv", edges);
  const auto load = [directory] { return load_own_graph(find_own_graph(directory), "big"); };
  if (load().dataset.graph.num_nodes != kNodes) fail("the import has lost nodes");
  benchmark::RegisterBenchmark("BM_Import/csv/1M-edges", [load](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(load());
  })->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  const emgnn::Scratch scratch;
  setenv("EMGNN_CACHE", (scratch.path / "cache").c_str(), 1);
  benchmark::Initialize(&argc, argv);
  for (const char* name : {"cora", "citeseer", "texas", "imdb", "acm", "dblp"}) {
    emgnn::register_load(name);
  }
  emgnn::register_import(scratch.path / "graph");
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
