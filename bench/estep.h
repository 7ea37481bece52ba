// SPDX-License-Identifier: Apache-2.0
// One E-step of a family beside the obvious loop over λ: multiply dense features by LibTorch's
// sparse S_λ, one graph after the other. The losses of both are compared before anything is timed.
#pragma once

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/em/evaluator.h>
#include <emgnn/models/gcn.h>
#include <emgnn/models/task.h>

namespace emgnn {

struct EStepProblem {
  std::shared_ptr<const GraphFamily> family;
  std::shared_ptr<const Gcn> gcn;  // with biases and ReLU
  std::shared_ptr<const Features> x;
  std::vector<int32_t> rows;
  at::Tensor label;                                 // int64 [rows]
  std::function<at::Tensor(int64_t lam_id)> shift;  // S_λ as a LibTorch matrix
};

inline at::Tensor dense_matrix(const Csr& a) {
  at::Tensor out = at::zeros({a.num_rows, a.num_cols});
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e)
      out.data_ptr<float>()[int64_t{i} * a.num_cols + a.col[e]] = a.value(e);
  }
  return out;
}

inline std::vector<double> obvious_losses(const EStepProblem& p, const at::Tensor& dense_x) {
  const at::NoGradGuard no_grad;
  const auto& theta = p.gcn->parameters();
  const size_t layers = theta.size() / 2;
  const at::Tensor rows = at::tensor(p.rows);
  std::vector<double> losses;
  for (int64_t id : p.family->all_ids()) {
    const at::Tensor s = p.shift(id);
    at::Tensor h = dense_x;
    for (size_t l = 0; l < layers; ++l) {
      h = at::mm(s, at::mm(h, theta[2 * l].value)) + theta[2 * l + 1].value;
      if (l + 1 < layers) h = at::relu(h);
    }
    losses.push_back(cross_entropy(h.index_select(0, rows).unsqueeze(0), p.label).item<double>());
  }
  return losses;
}

inline void check_equal(const std::vector<double>& a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) < 1e-5) continue;
    std::fprintf(stderr, "the losses of graph %zu differ: %.9g and %.9g\n", i, a[i], b[i]);
    std::exit(1);
  }
}

template <class F>
void register_timed(const std::string& name, F f) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [f](benchmark::State& state) {
                                 for (auto _ : state) benchmark::DoNotOptimize(f());
                               })
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

inline void register_estep(const std::string& name, EStepProblem problem) {
  auto p = std::make_shared<EStepProblem>(std::move(problem));
  auto evaluator = std::make_shared<Evaluator>(*p->family, *p->gcn, *p->x, p->rows);
  const at::Tensor dense_x = dense_matrix(p->x->sparse);
  const auto ours = [p, evaluator] { return evaluator->losses(p->family->all_ids(), p->label); };
  const auto obvious = [p, dense_x] { return obvious_losses(*p, dense_x); };
  check_equal(ours(), obvious());
  register_timed("BM_EStep/" + name + "/emgnn", ours);
  register_timed("BM_EStep/" + name + "/libtorch-loop", obvious);
}

}  // namespace emgnn
