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

#include "beside.h"
#include "gcn.h"

#include <emgnn/learn/task.h>
#include <emgnn/space/family.h>

namespace emgnn {

struct EStepProblem {
  std::shared_ptr<const Dataset> data;  // with the labels of `rows`
  std::shared_ptr<const GraphFamily> family;
  std::shared_ptr<const Network> gcn;  // with biases and ReLU
  std::vector<int32_t> rows;
  std::function<at::Tensor(int64_t lam_id)> shift;  // S_λ as a LibTorch matrix
};

// The class of node v is v mod `num_classes`.
inline Labels labels_in_turn(int32_t num_nodes, int32_t num_classes) {
  Labels labels = unknown_classes(num_nodes, numbered_names(num_classes));
  for (int32_t v = 0; v < num_nodes; ++v) labels.cls[static_cast<size_t>(v)] = v % num_classes;
  return labels;
}

// The losses of a family's graphs on some rows.
class EStep {
 public:
  explicit EStep(const EStepProblem& p)
      : family_(p.family),
        gcn_(p.gcn),
        view_(p.family->view(p.rows, p.gcn->needs())),
        task_(make_task(p.data->labels, {}, p.rows)),
        target_(task_->target(p.rows)) {}

  std::vector<double> ours() const {
    const at::NoGradGuard no_grad;
    std::vector<double> losses;
    at::Tensor embedded;  // the same for all graphs
    const auto run = [&](const GraphBatch& batch) {
      if (!embedded.defined()) embedded = gcn_->embed(batch.input, {});
      return gcn_->forward(batch, embedded, {});
    };
    const auto take = [&](size_t /*first*/, const at::Tensor& outputs) {
      const std::vector<double> tile = task_->losses(outputs.squeeze(1), target_);
      losses.insert(losses.end(), tile.begin(), tile.end());
    };
    const std::vector<int64_t> all = family_->all_ids();
    view_->evaluate({.lam_ids = all}, run, take, {});
    return losses;
  }

  double loss(const at::Tensor& logits) const {
    return task_->losses(logits.unsqueeze(0), target_).front();
  }

 private:
  std::shared_ptr<const GraphFamily> family_;
  std::shared_ptr<const Network> gcn_;
  std::shared_ptr<const FamilyView> view_;
  std::shared_ptr<const Task> task_;
  TargetRows target_;
};

inline at::Tensor dense_matrix(const Csr& a) {
  at::Tensor out = at::zeros({a.num_rows, a.num_cols});
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e)
      out.data_ptr<float>()[int64_t{i} * a.num_cols + a.col[e]] = a.value(e);
  }
  return out;
}

inline std::vector<double> obvious_losses(const EStepProblem& p, const EStep& step,
                                          const at::Tensor& dense_x) {
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
    losses.push_back(step.loss(h.index_select(0, rows)));
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

inline void register_estep(const std::string& name, EStepProblem problem) {
  auto p = std::make_shared<EStepProblem>(std::move(problem));
  auto step = std::make_shared<EStep>(*p);
  const at::Tensor dense_x = dense_matrix(p->data->features.sparse);
  const auto ours = [step] { return step->ours(); };
  const auto obvious = [p, step, dense_x] { return obvious_losses(*p, *step, dense_x); };
  check_equal(ours(), obvious());
  register_timed("BM_EStep/" + name + "/emgnn", ours);
  register_timed("BM_EStep/" + name + "/libtorch-loop", obvious);
}

}  // namespace emgnn
