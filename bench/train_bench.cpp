// SPDX-License-Identifier: Apache-2.0
// A whole EM-GCN run on IMDB with the shipped settings, beside the straightforward program of the
// same schedule on LibTorch: one λ at a time, dense features, LibTorch's sparse product, every row
// computed. Needs $EMGNN_DATA.
//
// The two draw other random numbers for dropout, so accuracies are compared as figures, not bit by
// bit. Before timing, the losses of all graphs are compared, at the first weights and after a few
// steps without dropout.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/registry.h>
#include <emgnn/em/experiment.h>
#include <emgnn/em/variant.h>
#include <emgnn/models/gcn.h>
#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

class Peer {
 public:
  Peer(const Dataset& data, const RunConfig& config, uint64_t seed)
      : data_(&data),
        options_(config.train),
        family_(data.graph, options_.space),
        weights_(options_.model, data.features.num_cols, data.num_classes(), seed),
        adam_(weights_.parameters(), options_.optim),
        union_(union_pattern(data.graph)),
        x_(at::zeros({data.features.num_rows, data.features.num_cols})),
        seed_(seed) {
    const Csr& x = data.features.sparse;
    for (int32_t i = 0; i < x.num_rows; ++i) {
      for (int32_t e = x.rowptr[i]; e < x.rowptr[i + 1]; ++e) {
        x_.data_ptr<float>()[int64_t{i} * x.num_cols + x.col[e]] = x.value(e);
      }
    }
    for (int64_t id : family_.all_ids()) shift_.push_back(sparse_shift(family_.point(id)));
  }

  std::vector<double> losses(const std::vector<int32_t>& rows) const {
    const at::NoGradGuard no_grad;
    const at::Tensor label = gather_labels(data_->label, rows);
    std::vector<double> out;
    for (int64_t id : family_.all_ids()) {
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
        posterior = Posterior::gibbs(family_.all_ids(), losses(data_->split.train), {}, eta);
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
  at::Tensor sparse_shift(LambdaPoint lam) const {
    const Csr& pattern = union_.pattern;
    std::vector<int64_t> row, col;
    std::vector<float> value;
    for (int32_t i = 0; i < pattern.num_rows; ++i) {
      double degree = 0.0;
      const size_t first = value.size();
      for (int32_t e = pattern.rowptr[i]; e < pattern.rowptr[i + 1]; ++e) {
        double a = e == union_.diagonal[i] ? 1.0 : 0.0;
        for (size_t t = 0; t < lam.size(); ++t) {
          a += options_.space.total * lam[t] * union_.weight[t][e];
        }
        row.push_back(i);
        col.push_back(pattern.col[e]);
        value.push_back(static_cast<float>(a));
        degree += a;
      }
      for (size_t k = first; k < value.size(); ++k) value[k] /= static_cast<float>(degree);
    }
    const at::Tensor index = at::stack({at::tensor(row), at::tensor(col)});
    return at::sparse_coo_tensor(index, at::tensor(value), {pattern.num_rows, pattern.num_cols})
        .coalesce();
  }

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
      const int64_t lam = draw_lambda(em.variant, posterior, family_.size(), rng);
      const double weight = mstep_weight(em, posterior, family_.size(), lam);
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
  MixtureFamily family_;
  Gcn weights_;  // only its parameters are used
  Adam adam_;
  UnionPattern union_;
  at::Tensor x_;
  std::vector<at::Tensor> shift_;
  uint64_t seed_;
};

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Timed {
  double seconds = 0.0;
  double accuracy = 0.0;  // on the test nodes
};

// The losses of every graph on the training nodes, with the weights that both have now.
void compare_losses(const Dataset& data, const Peer& peer, Experiment& ours, double tolerance) {
  const std::vector<double> want = peer.losses(data.split.train);
  const std::vector<double> got = ours.problem().losses(ours.space().all_ids(), {});
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::abs(want[i] - got[i]) < tolerance) continue;
    std::fprintf(stderr, "train_bench: the losses of graph %zu differ: %.6f and %.6f\n", i, got[i],
                 want[i]);
    std::exit(1);
  }
}

// Without dropout both programs take the same steps: after a few of them they must still agree.
void check_steps(const Dataset& data, RunConfig config) {
  config.train.em.rounds = 1;
  config.train.em.steps = 5;
  config.train.model.dropout = 0.0;
  config.train.model.input_dropout = 0.0;
  config.train.stop.rule = StopRule::kNever;
  Peer peer(data, config, 0);
  peer.train();
  Experiment ours(data, "em-gcn", config, 0);
  Observer quiet;
  ours.trainer().run(quiet);
  compare_losses(data, peer, ours, 1e-3);
}

Timed time_ours(const Dataset& data, const RunConfig& config) {
  Timed out;
  out.seconds = seconds_of([&] {
    Experiment experiment(data, "em-gcn", config, 0);
    Observer quiet;
    out.accuracy = experiment.trainer().run(quiet).test.accuracy;
  });
  return out;
}

void beside_peer(const Dataset& data, RunConfig config, bool full) {
  if (!full) {
    config.train.em.rounds = 2;
    config.train.stop.rule = StopRule::kNever;
  }
  const Timed ours = time_ours(data, config);
  at::set_num_threads(2);
  at::manual_seed(0);
  Timed peer;
  peer.seconds = seconds_of([&] { peer.accuracy = Peer(data, config, 0).train(); });
  std::printf("IMDB, em-gcn, seed 0, 2 threads, %s\n", full ? "whole run" : "two rounds");
  std::printf("  emgnn     %8.2f s   test accuracy %.4f\n", ours.seconds, ours.accuracy);
  std::printf("  libtorch  %8.2f s   test accuracy %.4f\n", peer.seconds, peer.accuracy);
  std::printf("  ratio     %8.1f\n", peer.seconds / ours.seconds);
}

// The same schedule, not stopped early, over 21 and over 231 mixtures.
void growth(const Dataset& data, RunConfig config) {
  config.train.stop.patience = config.train.em.rounds * config.train.em.steps;
  const double coarse = time_ours(data, config).seconds;
  config.train.space.step = 1.0 / 230.0;
  const double fine = time_ours(data, config).seconds;
  std::printf("IMDB, em-gcn, seed 0, 2 threads, %lld rounds\n",
              static_cast<long long>(config.train.em.rounds));
  std::printf("   21 graphs %8.2f s\n  231 graphs %8.2f s\n  ratio      %8.2f\n", coarse, fine,
              fine / coarse);
}

int run(bool full) {
  DatasetRequest request;
  request.name = "imdb";
  const Dataset data = load_dataset(request);
  const RunConfig config = default_config("em-gcn", "imdb");
  Experiment untrained(data, "em-gcn", config, 0);
  compare_losses(data, Peer(data, config, 0), untrained, 1e-5);
  check_steps(data, config);
  growth(data, config);
  beside_peer(data, config, full);
  return 0;
}

}  // namespace
}  // namespace emgnn

int main(int argc, char** argv) {
  emgnn::set_num_threads(2);
  at::set_num_threads(2);
  try {
    return emgnn::run(argc > 1 && std::strcmp(argv[1], "full") == 0);
  } catch (const emgnn::Error& error) {
    std::fprintf(stderr, "train_bench: left out: %s\n", error.what());
    return 0;
  }
}
