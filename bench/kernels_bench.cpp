// SPDX-License-Identifier: Apache-2.0
// The kernels beside LibTorch's own, on the same data and two threads. Each answer is verified
// before timing.
//   BM_Spmm/cora/w64/emgnn  BM_Spmm/cora/w64/libtorch  BM_Gemm/12772x64x1256/emgnn ...
// OpenBLAS may not know the CPU: compare with OPENBLAS_CORETYPE=SkylakeX (its best) and =Prescott
// (its fallback).
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/graph/csr.h>
#include <emgnn/kernels/activation.h>
#include <emgnn/kernels/combine.h>
#include <emgnn/kernels/gemm.h>
#include <emgnn/kernels/spmm.h>

namespace {

using namespace emgnn;

constexpr int kThreads = 2;

void verify(const std::string& name, const at::Tensor& ours, const at::Tensor& theirs) {
  const double error = (ours - theirs).abs().max().item<double>();
  const double scale = theirs.abs().max().item<double>();
  if (!(error <= 1e-4 * scale))
    throw InternalError(name + " disagrees with LibTorch by " + std::to_string(error));
}

template <class Body>
void add(const std::string& name, double flops, Body body) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [body, flops](benchmark::State& state) mutable {
                                 for (auto _ : state) body();
                                 state.counters["GFLOP/s"] =
                                     benchmark::Counter(flops * 1e-9 * double(state.iterations()),
                                                        benchmark::Counter::kIsRate);
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

// Symmetric, with ends drawn as n·u^skew: skew 1 is uniform, 4 gives hubs of many thousands of
// edges.
Csr random_graph(int32_t num_nodes, int64_t num_edges, double skew) {
  Rng rng(1, Stream::kTest);
  Coo coo;
  for (int64_t e = 0; e < num_edges; ++e) {
    coo.row.push_back(int32_t(num_nodes * std::pow(rng.uniform(), skew)));
    coo.col.push_back(int32_t(rng.below(uint64_t(num_nodes))));
  }
  const Csr once = csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst);
  return normalise_rows(add_diagonal(remove_diagonal(symmetrise(once)), 1.0F));
}

void add_spmm(const std::string& name, const Csr& graph, int64_t width) {
  auto a = std::make_shared<Csr>(graph);
  const auto index = [](Array<int32_t>& v) {
    return at::from_blob(v.data(), {int64_t(v.size())}, at::kInt);
  };
  const at::Tensor csr = at::sparse_csr_tensor(
      index(a->rowptr), index(a->col), at::from_blob(a->val.data(), {a->num_entries()}, at::kFloat),
      {a->num_rows, a->num_cols}, at::TensorOptions().dtype(at::kFloat).layout(at::kSparseCsr));
  const at::Tensor x = at::randn({a->num_cols, width});
  at::Tensor y = at::empty({a->num_rows, width});
  const auto ours = [a, x, y, width] {
    kernels::spmm({a->num_rows, a->num_cols, a->rowptr.data(), a->col.data()},
                  {.num_graphs = 1,
                   .width = width,
                   .val = a->val.data(),
                   .in = x.data_ptr<float>(),
                   .out = y.data_ptr<float>()});
  };
  ours();
  verify(name, y, at::mm(csr, x));
  const double flops = 2.0 * double(a->num_entries() * width);
  add("BM_Spmm/" + name + "/emgnn", flops, ours);
  add("BM_Spmm/" + name + "/libtorch", flops, [a, csr, x] { at::mm(csr, x); });
}

using Gemm = void (*)(int64_t, int64_t, int64_t, const float*, const float*, float*);

// C [m,n] = A B over k, with a and b as stored; `at_a` and `at_b` are the views that LibTorch
// multiplies.
void add_gemm(const std::string& name, Gemm gemm, const at::Tensor& a, const at::Tensor& b,
              const at::Tensor& at_a, const at::Tensor& at_b) {
  const int64_t m = at_a.size(0), k = at_a.size(1), n = at_b.size(1);
  at::Tensor c = at::empty({m, n});
  const auto ours = [=] {
    gemm(m, n, k, a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>());
  };
  ours();
  verify(name, c, at::mm(at_a, at_b));
  const std::string shape =
      name + "/" + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  const double flops = 2.0 * double(m) * double(n) * double(k);
  at::Tensor theirs = at::empty({m, n});
  add("BM_" + shape + "/emgnn", flops, ours);
  add("BM_" + shape + "/libtorch", flops, [=]() mutable { at::mm_out(theirs, at_a, at_b); });
}

void add_gemms() {
  const auto nn = [](int64_t m, int64_t n, int64_t k) {
    const at::Tensor a = at::randn({m, k}), b = at::randn({k, n});
    add_gemm("Gemm", kernels::gemm, a, b, a, b);
  };
  nn(12772, 64, 1256);
  nn(268212, 64, 64);
  nn(268212, 3, 64);
  const at::Tensor g = at::randn({268212, 64}), w = at::randn({64, 64});
  add_gemm("GemmNt", kernels::gemm_nt, g, w, g, w.t());
  const at::Tensor x = at::randn({268212, 64});
  add_gemm("GemmTn", kernels::gemm_tn, x, g, x.t(), g);
  const at::Tensor features = at::randn({12772, 1256}), grad = at::randn({12772, 64});
  add_gemm("GemmTn", kernels::gemm_tn, features, grad, features.t(), grad);
}

void add_relu_dropout() {
  const at::Tensor x = at::randn({268212, 64}), bias = at::randn({64});
  const at::Tensor y = at::empty_like(x);
  const auto ours = [=](float drop) {
    const kernels::ActivationSpec spec{.kind = kernels::Activation::kRelu, .drop = drop};
    kernels::bias_activation(spec, x.size(0), 64, x.data_ptr<float>(), bias.data_ptr<float>(),
                             y.data_ptr<float>());
  };
  ours(0.0F);  // the masks of two generators differ, so only the rest is compared
  verify("ReluDropout", y, at::relu(x + bias));
  add("BM_ReluDropout/268212x64/emgnn", 0, [=] { ours(0.5F); });
  add("BM_ReluDropout/268212x64/libtorch", 0, [=] { at::dropout(at::relu(x + bias), 0.5, true); });
}

void add_combine() {
  const int64_t graphs = 21, terms = 2, rows = 12772, width = 64;
  const at::Tensor coef = at::rand({graphs, terms}), scale = at::rand({graphs, rows});
  const at::Tensor term = at::randn({terms, rows, width});
  const at::Tensor out = at::empty({graphs, rows, width});
  const auto ours = [=] {
    kernels::combine({graphs, terms, rows, width}, coef.data_ptr<float>(), scale.data_ptr<float>(),
                     term.data_ptr<float>(), out.data_ptr<float>());
  };
  const auto theirs = [=] {
    return at::mm(coef, term.view({terms, -1}))
        .view({graphs, rows, width})
        .mul_(scale.unsqueeze(2));
  };
  ours();
  verify("Combine", out, theirs());
  const double flops = double(graphs * (2 * terms + 1) * rows * width);
  add("BM_Combine/21x2x12772x64/emgnn", flops, ours);
  add("BM_Combine/21x2x12772x64/libtorch", flops, [=] { theirs(); });
}

}  // namespace

int main(int argc, char** argv) {
  const Context::Scope threads{Context(kThreads)};
  at::set_num_threads(kThreads);
  add_spmm("cora/w64", random_graph(2708, 5280, 1), 64);
  add_spmm("powerlaw1m/w64", random_graph(50000, 520000, 4), 64);
  add_gemms();
  add_relu_dropout();
  add_combine();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
