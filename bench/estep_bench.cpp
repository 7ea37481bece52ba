// SPDX-License-Identifier: Apache-2.0
// One E-step over the 21 mixtures of a two-relation graph of IMDB's size, beside the obvious loop
// over λ, which builds each S_λ.
#include <ATen/Parallel.h>

#include <numeric>

#include "estep.h"

#include <emgnn/base/context.h>
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
  return at::sparse_csr_tensor(at::tensor(pattern.rowptr.to_vector()),
                               at::tensor(pattern.col.to_vector()), values,
                               {pattern.num_rows, pattern.num_cols}, at::kFloat);
}

void register_case(const char* name, int32_t num_rows) {
  auto data = std::make_shared<Dataset>();
  data->graph = imdb_sized_graph();
  data->features = words();
  data->labels = labels_in_turn(kNodes, kClasses);
  const auto u = std::make_shared<UnionPattern>(union_pattern(data->graph));
  const auto family = MixtureFamily::make(data, {});
  std::vector<int32_t> rows(static_cast<size_t>(num_rows));
  std::iota(rows.begin(), rows.end(), 0);
  register_estep(std::string("imdb-sized/") + name, {.data = data,
                                                     .family = family,
                                                     .gcn = make_gcn({}, kWords, kClasses, 1),
                                                     .rows = rows,
                                                     .shift = [family, u](int64_t id) {
                                                       return libtorch_shift(*u, family->point(id));
                                                     }});
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  const emgnn::Context::Scope threads{emgnn::Context(2)};
  at::set_num_threads(2);
  benchmark::Initialize(&argc, argv);
  emgnn::register_case("loss-on-300-nodes", emgnn::kTrain);
  emgnn::register_case("loss-on-all-nodes", emgnn::kNodes);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
