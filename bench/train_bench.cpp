// SPDX-License-Identifier: Apache-2.0
// Whole EM-GCN runs on IMDB and Cora beside the straightforward program of the same schedule
// (peer.h). Needs $EMGNN_DATA. By default the peer does a part of the rounds; with the argument
// `full` all of them, which takes it most of an hour.
//
// The two draw other random numbers for dropout, so accuracies are compared as figures, not bit by
// bit. Before timing, the losses of all graphs are compared, at the first weights and after a few
// steps without dropout.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

#include "peer.h"
#include "shift_matrix.h"

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/registry.h>
#include <emgnn/em/experiment.h>
#include <emgnn/em/variant.h>
#include <emgnn/models/gcn.h>
#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

// What one run needs besides its seed.
struct Case {
  std::string name;
  Dataset data;
  RunConfig config;

  Experiment experiment(const RunConfig& with) const { return {data, "em-gcn", with, kSeed}; }

  Peer peer(const Experiment& ours, const RunConfig& with) const {
    const SpaceOptions& space = with.train.space;
    const RewireFamily* rewire = ours.rewire_family();
    const std::vector<Csr> matrices =
        rewire != nullptr
            ? shift_matrices(rewire->draws(), data.graph.num_nodes, *rewire, space.normalisation)
            : shift_matrices(data.graph, MixtureFamily(data.graph, space), space);
    std::vector<at::Tensor> shift;
    for (const Csr& s : matrices) shift.push_back(coo_tensor(s));
    return {data, with.train, ours.space(), std::move(shift), kSeed};
  }

  static constexpr uint64_t kSeed = 0;
};

struct Timed {
  double seconds = 0.0;
  double processor_seconds = 0.0;  // of all threads: less moved by what else runs
  double accuracy = 0.0;           // on the test nodes
};

Timed timed(const std::function<double()>& accuracy_of_run) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  Timed out;
  out.accuracy = accuracy_of_run();
  out.processor_seconds = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

void print(const char* who, const Timed& run) {
  std::printf("  %-9s %9.2f s %9.2f processor-s   test accuracy %.4f\n", who, run.seconds,
              run.processor_seconds, run.accuracy);
}

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
void check_steps(const Case& c) {
  RunConfig config = c.config;
  config.train.em.rounds = 1;
  config.train.em.steps = 5;
  config.train.model.dropout = 0.0;
  config.train.model.input_dropout = 0.0;
  config.train.stop.rule = StopRule::kNever;
  Experiment ours = c.experiment(config);
  Peer peer = c.peer(ours, config);
  peer.train();
  Observer quiet;
  ours.trainer().run(quiet);
  compare_losses(c.data, peer, ours, 1e-3);
}

Timed time_ours(const Case& c, const RunConfig& config) {
  return timed([&] {
    Experiment experiment = c.experiment(config);
    Observer quiet;
    return experiment.trainer().run(quiet).test.accuracy;
  });
}

// `rounds` of them, not stopped early; 0: a whole run. All rounds take the same work.
void beside_peer(const Case& c, int64_t rounds) {
  RunConfig config = c.config;
  if (rounds > 0) {
    config.train.em.rounds = rounds;
    config.train.stop.rule = StopRule::kNever;
  }
  const Timed ours = time_ours(c, config);
  at::set_num_threads(2);
  at::manual_seed(0);
  const Experiment untrained = c.experiment(config);
  const Timed peer = timed([&] { return c.peer(untrained, config).train(); });
  at::set_num_threads(1);
  std::printf("%s, em-gcn, seed 0, 2 threads, %s\n", c.name.c_str(),
              rounds > 0 ? fmt::format("{} of {} rounds", rounds, c.config.train.em.rounds).c_str()
                         : "whole run");
  print("emgnn", ours);
  print("libtorch", peer);
  std::printf("  ratio     %9.1f   %9.1f\n", peer.seconds / ours.seconds,
              peer.processor_seconds / ours.processor_seconds);
}

// The same schedule, not stopped early, over 21 and over 231 mixtures.
void growth(const Case& c) {
  RunConfig config = c.config;
  config.train.stop.patience = config.train.em.rounds * config.train.em.steps;
  const double coarse = time_ours(c, config).seconds;
  config.train.space.step = 1.0 / 230.0;
  const double fine = time_ours(c, config).seconds;
  std::printf("%s, em-gcn, seed 0, 2 threads, %lld rounds\n", c.name.c_str(),
              static_cast<long long>(config.train.em.rounds));
  std::printf("   21 graphs %8.2f s\n  231 graphs %8.2f s\n  ratio      %8.2f\n", coarse, fine,
              fine / coarse);
}

Case load(const std::string& name) {
  RunConfig config = default_config("em-gcn", name);
  const DatasetRequest request{.name = name, .row_normalise = config.data.normalise_features};
  return {name, load_dataset(request), std::move(config)};
}

void check(const Case& c) {
  Experiment untrained = c.experiment(c.config);
  compare_losses(c.data, c.peer(untrained, c.config), untrained, 1e-5);
  check_steps(c);
}

void imdb(bool full) {
  const Case c = load("imdb");
  check(c);
  growth(c);
  beside_peer(c, full ? 0 : 2);
}

// Thirty rounds of ten steps, and after each step a validation over all 441 graphs: the schedule of
// the published program, without the loss that makes graphs agree.
void cora(bool full) {
  Case c = load("cora");
  c.config.train.agreement.weight = 0.0;
  c.config.train.em.draws = 1;
  c.config.train.em.rounds = 30;
  c.config.train.em.steps = 10;
  c.config.train.stop = {.rule = StopRule::kNever, .every = 1, .graphs = 441};
  check(c);
  beside_peer(c, full ? 0 : 1);
  print("whole run", time_ours(c, c.config));
}

}  // namespace
}  // namespace emgnn

// train_bench [imdb|cora] [full]
int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  emgnn::set_num_threads(2);
  at::set_num_threads(2);
  try {
    if (!has("cora")) emgnn::imdb(has("full"));
    if (!has("imdb")) emgnn::cora(has("full"));
  } catch (const emgnn::Error& error) {
    std::fprintf(stderr, "train_bench: left out: %s\n", error.what());
  }
  return 0;
}
