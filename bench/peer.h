// SPDX-License-Identifier: Apache-2.0
// EM-GCN as one would write it down on LibTorch: one λ at a time, dense features, LibTorch's sparse
// product, every row computed.
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <utility>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/adam.h>
#include <emgnn/em/stopping.h>
#include <emgnn/em/variant.h>
#include <emgnn/models/gcn.h>
#include <emgnn/models/task.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

class Peer {
 public:
  // shift: S_λ of every graph of the space, which outlives the peer.
  Peer(const Dataset& data, const TrainOptions& options, const ParameterSpace& space,
       std::vector<at::Tensor> shift, uint64_t seed)
      : data_(&data),
        options_(options),
        space_(&space),
        weights_(options_.model, data.features.num_cols, data.num_classes(), seed),
        adam_(weights_.parameters(), options_.optim),
        x_(at::zeros({data.features.num_rows, data.features.num_cols})),
        shift_(std::move(shift)),
        seed_(seed) {
    const Csr& x = data.features.sparse;
    for (int32_t i = 0; i < x.num_rows; ++i) {
      for (int32_t e = x.rowptr[i]; e < x.rowptr[i + 1]; ++e) {
        x_.data_ptr<float>()[int64_t{i} * x.num_cols + x.col[e]] = x.value(e);
      }
    }
  }

  std::vector<double> losses(const std::vector<int32_t>& rows) const {
    const at::NoGradGuard no_grad;
    const at::Tensor label = gather_labels(data_->label, rows);
    std::vector<double> out;
    for (int64_t id : space_->all_ids()) {
      out.push_back(cross_entropy(forward(id, false, rows).unsqueeze(0), label).item<double>());
    }
    return out;
  }

  // The schedule of Trainer::run, with early stopping on the validation nodes; returns test
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
        posterior = Posterior::gibbs(space_->all_ids(), losses(data_->split.train), {}, eta);
      }
      gradient_step(*posterior, step);
      if ((step + 1) % options_.stop.every != 0) continue;
      const Scores scores = score(*posterior, data_->split.validation);
      const StopVerdict verdict = judge(options_.stop, stop, scores);
      stopped = verdict.stop;
      if (!verdict.keep) continue;
      best.clear();
      for (const Parameter& p : weights_.parameters()) best.push_back(p.value.detach().clone());
      best_posterior = posterior;
    }
    for (size_t i = 0; i < best.size(); ++i) weights_.parameters()[i].value.detach().copy_(best[i]);
    return score(*best_posterior, data_->split.test).accuracy;
  }

 private:
  at::Tensor forward(int64_t lam_id, bool training, const std::vector<int32_t>& rows) const {
    const auto& theta = weights_.parameters();
    const size_t layers = theta.size() / 2;
    at::Tensor h = at::dropout(x_, options_.model.input_dropout, training);
    for (size_t l = 0; l < layers; ++l) {
      h = at::mm(shift_[static_cast<size_t>(lam_id)], at::mm(h, theta[2 * l].value)) +
          theta[2 * l + 1].value;
      if (l + 1 < layers) h = at::dropout(at::relu(h), options_.model.dropout, training);
    }
    return h.index_select(0, at::tensor(rows));
  }

  void gradient_step(const Posterior& posterior, int64_t step) {
    const EmOptions& em = options_.em;
    const at::Tensor label = gather_labels(data_->label, data_->split.train);
    Rng rng(seed_, Stream::kDraw, static_cast<uint64_t>(step));
    for (int64_t k = 0; k < em.draws; ++k) {
      const int64_t lam = draw_lambda(em.variant, posterior, space_->size(), rng);
      const double weight = mstep_weight(em, posterior, space_->size(), lam);
      const at::Tensor logits = forward(lam, true, data_->split.train);
      (cross_entropy(logits.unsqueeze(0), label) * (weight / static_cast<double>(em.draws)))
          .sum()
          .backward();
    }
    adam_.step();
  }

  Scores score(const Posterior& posterior, const std::vector<int32_t>& rows) const {
    const at::NoGradGuard no_grad;
    at::Tensor mean;
    for (int64_t id : posterior.lam_ids()) {
      const at::Tensor z = forward(id, false, rows).to(at::kDouble) * posterior.prob(id);
      mean = mean.defined() ? mean + z : z;
    }
    return classification_scores(at::log_softmax(mean, 1), gather_labels(data_->label, rows));
  }

  const Dataset* data_;
  TrainOptions options_;
  const ParameterSpace* space_;
  Gcn weights_;  // only its parameters are used
  Adam adam_;
  at::Tensor x_;
  std::vector<at::Tensor> shift_;
  uint64_t seed_;
};

}  // namespace emgnn
