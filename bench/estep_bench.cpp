// SPDX-License-Identifier: Apache-2.0
// One E-step over the 21 mixtures of a two-relation graph of IMDB's size, beside the obvious loop
// over λ: build S_λ as a LibTorch sparse matrix, multiply dense features, one product after the
// other. The losses of both are compared before anything is timed.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <emgnn/base/threads.h>
#include <emgnn/em/evaluator.h>
#include <emgnn/models/gcn.h>
#include <emgnn/models/task.h>
#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

constexpr int32_t kMovies = 4661, kDirectors = 2270, kActors = 5841;
constexpr int32_t kNodes = kMovies + kDirectors + kActors;  // 12,772
constexpr int32_t kWords = 1256, kClasses = 3, kTrain = 300;

// 4,661 + 13,983 undirected edges: 50,060 entries with the diagonal (fewer by the duplicates
// drawn).
TypedGraph imdb_sized_graph() {
  TypedGraph graph{.num_nodes = kNodes};
  const auto add = [&](const char* name, int32_t begin, int32_t count, int per_movie,
                       uint64_t step) {
    Rng rng(1, Stream::kTest, step);
    Coo links;
    for (int32_t movie = 0; movie < kMovies; ++movie) {
      for (int k = 0; k < per_movie; ++k) {
        links.row.push_back(movie);
        links.col.push_back(begin + static_cast<int32_t>(rng.below(static_cast<uint64_t>(count))));
      }
    }
    graph.relations.push_back(
        {name, symmetrise(csr_from_coo(kNodes, kNodes, links, Duplicates::kKeepFirst))});
  };
  add("director", kMovies, kDirectors, 1, 1);
  add("actor", kMovies + kDirectors, kActors, 3, 2);
  return graph;
}

Features words() {
  Rng rng(1, Stream::kTest, 3);
  Coo coo;
  for (int32_t v = 0; v < kNodes; ++v) {
    for (int k = 0; k < 5; ++k) {
      coo.row.push_back(v);
      coo.col.push_back(static_cast<int32_t>(rng.below(kWords)));
    }
  }
  Features x{.num_rows = kNodes, .num_cols = kWords};
  x.sparse = csr_from_coo(kNodes, kWords, coo, Duplicates::kKeepFirst);
  return x;
}

struct Problem {
  TypedGraph graph = imdb_sized_graph();
  Features x = words();
  MixtureFamily family{graph, {}};
  Gcn gcn{{}, kWords, kClasses, 1};
  std::vector<int32_t> rows;
  at::Tensor label;
  at::Tensor dense_x = at::zeros({kNodes, kWords});

  explicit Problem(int32_t num_rows) : rows(static_cast<size_t>(num_rows)) {
    std::iota(rows.begin(), rows.end(), 0);
    label = at::arange(num_rows, at::kLong).remainder(kClasses);
    for (int32_t i = 0; i < kNodes; ++i) {
      for (int32_t e = x.sparse.rowptr[i]; e < x.sparse.rowptr[i + 1]; ++e)
        dense_x[i][x.sparse.col[e]] = 1.0F;
    }
  }
};

// S_λ = D_λ⁻¹ (Σ λ_t A_t + I) as LibTorch would be asked for it.
at::Tensor libtorch_shift(const UnionPattern& u, const LambdaPoint& lam) {
  const Csr& pattern = u.pattern;
  at::Tensor values = at::zeros({pattern.num_entries()});
  float* v = values.data_ptr<float>();
  for (int32_t i = 0; i < pattern.num_rows; ++i) {
    float degree = 0.0F;
    for (int32_t e = pattern.rowptr[i]; e < pattern.rowptr[i + 1]; ++e) {
      for (size_t t = 0; t < lam.size(); ++t) v[e] += static_cast<float>(lam[t]) * u.weight[t][e];
      if (e == u.diagonal[i]) v[e] += 1.0F;
      degree += v[e];
    }
    for (int32_t e = pattern.rowptr[i]; e < pattern.rowptr[i + 1]; ++e) v[e] /= degree;
  }
  return at::sparse_csr_tensor(at::tensor(pattern.rowptr), at::tensor(pattern.col), values,
                               {pattern.num_rows, pattern.num_cols}, at::kFloat);
}

std::vector<double> obvious_losses(const Problem& p, const UnionPattern& u) {
  const at::NoGradGuard no_grad;
  const auto& theta = p.gcn.parameters();
  const at::Tensor rows = at::tensor(p.rows);
  std::vector<double> losses;
  for (int64_t id : p.family.all_ids()) {
    const at::Tensor s = libtorch_shift(u, p.family.point(id));
    at::Tensor h = p.dense_x;
    for (size_t l = 0; l < 3; ++l) {
      h = at::mm(s, at::mm(h, theta[2 * l].value)) + theta[2 * l + 1].value;
      if (l < 2) h = at::relu(h);
    }
    losses.push_back(cross_entropy(h.index_select(0, rows).unsqueeze(0), p.label).item<double>());
  }
  return losses;
}

void check_equal(const std::vector<double>& a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) < 1e-5) continue;
    std::fprintf(stderr, "estep_bench: the losses of graph %zu differ: %.9g and %.9g\n", i, a[i],
                 b[i]);
    std::exit(1);
  }
}

void register_case(const char* name, int32_t num_rows) {
  auto p = std::make_shared<Problem>(num_rows);
  auto u = std::make_shared<UnionPattern>(union_pattern(p->graph));
  auto evaluator = std::make_shared<Evaluator>(p->family, p->gcn, p->x, p->rows);
  const auto ours = [p, evaluator] { return evaluator->losses(p->family.all_ids(), p->label); };
  const auto obvious = [p, u] { return obvious_losses(*p, *u); };
  check_equal(ours(), obvious());
  const std::string prefix = std::string("BM_EStep/imdb-sized/") + name;
  const auto timed = [](auto f) {
    return [f](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(f());
    };
  };
  benchmark::RegisterBenchmark((prefix + "/emgnn").c_str(), timed(ours))
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark((prefix + "/libtorch-loop").c_str(), timed(obvious))
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  emgnn::set_num_threads(2);
  at::set_num_threads(2);
  benchmark::Initialize(&argc, argv);
  emgnn::register_case("loss-on-300-nodes", emgnn::kTrain);
  emgnn::register_case("loss-on-all-nodes", emgnn::kNodes);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
