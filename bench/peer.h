// SPDX-License-Identifier: Apache-2.0
// EM-GCN as one would write it down on LibTorch: one λ at a time, dense features, LibTorch's sparse
// product, every row computed.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gcn.h"

#include <emgnn/data/data.h>
#include <emgnn/em/variant.h>
#include <emgnn/learn/adam.h>
#include <emgnn/learn/stopping.h>
#include <emgnn/learn/task.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

struct PeerOptions {
  GcnOptions model;
  EmOptions em;
  OptimOptions optim;
  StopOptions stop;
  uint64_t seed = 0;
};

class Peer {
 public:
  // shift: S_λ of every graph of the space.
  Peer(std::shared_ptr<const Data> data, const PeerOptions& options,
       std::shared_ptr<const ParameterSpace> space, std::vector<at::Tensor> shift)
      : data_(std::move(data)),
        options_(options),
        space_(std::move(space)),
        task_(make_task(data_->labels(), {}, data_->split().train)),
        rule_(stop_rule(options.stop, *task_)),
        weights_(
            make_gcn(options.model, data_->num_features(), task_->num_outputs(), options.seed)),
        adam_(weights_, options.optim),
        x_(at::zeros({data_->num_rows(), data_->num_features()})),
        shift_(std::move(shift)) {
    const Csr& x = data_->graph()->features.sparse;
    for (int32_t i = 0; i < x.num_rows; ++i) {
      for (int32_t e = x.rowptr[i]; e < x.rowptr[i + 1]; ++e) {
        x_.data_ptr<float>()[int64_t{i} * x.num_cols + x.col[e]] = x.value(e);
      }
    }
  }

  std::vector<double> losses(const std::vector<int32_t>& rows) const {
    const at::NoGradGuard no_grad;
    const TargetRows target = task_->target(rows);
    std::vector<double> out;
    for (int64_t id : space_->all_ids()) {
      out.push_back(task_->losses(forward(id, false, rows).unsqueeze(0), target).front());
    }
    return out;
  }

  // The schedule of EmLearner::fit, with early stopping on the validation nodes; returns test
  // accuracy.
  double train() {
    const EmOptions& em = options_.em;
    StopState stop;
    std::vector<at::Tensor> best;
    std::optional<Posterior> posterior, best_posterior;
    bool stopped = false;
    for (int64_t step = 0; step < em.rounds * em.steps && !stopped; ++step) {
      if (step % em.steps == 0) {
        const double eta = em.eta + em.eta_step * static_cast<double>(step / em.steps);
        posterior = Posterior::gibbs(space_->all_ids(), losses(data_->split().train), {}, eta);
      }
      gradient_step(*posterior, step);
      if ((step + 1) % options_.stop.every != 0) continue;
      const PartScores part = score(*posterior, data_->split().validation);
      const StopVerdict verdict =
          judge(rule_, options_.stop.patience, stop, part.loss, part.scores);
      stopped = verdict.stop;
      if (!verdict.keep) continue;
      best.clear();
      for (const Parameter& p : weights_->parameters()) best.push_back(p.value.detach().clone());
      best_posterior = posterior;
    }
    for (size_t i = 0; i < best.size(); ++i)
      weights_->parameters()[i].value.detach().copy_(best[i]);
    return score(*best_posterior, data_->split().test).scores.at("accuracy");
  }

 private:
  at::Tensor forward(int64_t lam_id, bool training, const std::vector<int32_t>& rows) const {
    const auto& theta = weights_->parameters();
    const StackOptions& stack = options_.model.stack;
    const size_t layers = theta.size() / 2;
    at::Tensor h = at::dropout(x_, stack.input_dropout, training);
    for (size_t l = 0; l < layers; ++l) {
      h = at::mm(shift_[static_cast<size_t>(lam_id)], at::mm(h, theta[2 * l].value)) +
          theta[2 * l + 1].value;
      if (l + 1 < layers) h = at::dropout(at::relu(h), stack.dropout, training);
    }
    return h.index_select(0, at::tensor(rows));
  }

  void gradient_step(const Posterior& posterior, int64_t step) {
    const EmOptions& em = options_.em;
    const TargetRows target = task_->target(data_->split().train);
    Rng rng(options_.seed, Stream::kDraw, static_cast<uint64_t>(step));
    for (int64_t k = 0; k < em.draws; ++k) {
      const int64_t lam = draw_lambda(em, posterior, space_->size(), rng);
      const double weight = mstep_weight(em, posterior, space_->size(), lam);
      const at::Tensor logits = forward(lam, true, data_->split().train);
      (task_->row_loss(logits.unsqueeze(0), target).mean() *
       (weight / static_cast<double>(em.draws)))
          .backward();
    }
    adam_.step();
  }

  PartScores score(const Posterior& posterior, const std::vector<int32_t>& rows) const {
    const at::NoGradGuard no_grad;
    at::Tensor mean;
    for (int64_t id : posterior.lam_ids()) {
      const at::Tensor z = forward(id, false, rows).to(at::kDouble) * posterior.prob(id);
      mean = mean.defined() ? mean + z : z;
    }
    const at::Tensor log_prob = at::log_softmax(mean, 1).contiguous();
    const double* begin = log_prob.data_ptr<double>();
    return task_->score(
        {.rows = rows, .width = log_prob.size(1), .value = {begin, begin + log_prob.numel()}},
        Ranks::kSkip);
  }

  std::shared_ptr<const Data> data_;
  PeerOptions options_;
  std::shared_ptr<const ParameterSpace> space_;
  std::shared_ptr<const Task> task_;
  StopRule rule_;
  std::shared_ptr<Network> weights_;  // only its parameters are used
  Adam adam_;
  at::Tensor x_;
  std::vector<at::Tensor> shift_;
};

}  // namespace emgnn
