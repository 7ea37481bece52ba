// SPDX-License-Identifier: Apache-2.0
// Whole EM-GCN runs on IMDB and Cora beside the straightforward program of the same schedule
// (peer.h). Needs $EMGNN_DATA. By default the peer does a part of the rounds; with the argument
// `full` all of them, which takes it most of an hour.
//
// The two draw other random numbers for dropout, so accuracies are compared as numbers, not bit by
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
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "peer.h"
#include "shift_matrix.h"

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/data/registry.h>
#include <emgnn/em/em_learner.h>
#include <emgnn/run/config.h>
#include <emgnn/run/evaluate.h>
#include <emgnn/space/mixture.h>
#include <emgnn/space/rewire.h>
#include <emgnn/space/rewire_input.h>

namespace emgnn {
namespace {

using Settings = std::vector<std::string>;  // key=value

constexpr uint64_t kSeed = 0;

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

// The values that a configuration gives to one group of options.
template <class Options>
Options options_of(const std::map<std::string, std::string>& values) {
  Options out;
  ForEachOption fill([&](const OptionInfo& info, OptionRef field) {
    const auto found = values.find(info.key);
    if (found != values.end()) assign(info, field, found->second);
  });
  describe(fill, out);
  return out;
}

// em-gcn, made by hand so that its parts can be looked at.
class Ours {
 public:
  Ours(std::shared_ptr<const Data> data, const Settings& settings) {
    RunConfig config("em-gcn", data->name());
    for (const std::string& setting : settings) config.set(setting, "train_bench");
    const auto values = config.values();
    options_ = {.model = options_of<GcnOptions>(values),
                .em = options_of<EmOptions>(values),
                .optim = options_of<OptimOptions>(values),
                .stop = options_of<StopOptions>(values),
                .seed = kSeed};
    mixture_ = options_of<MixtureOptions>(values);
    rewire_ = options_of<RewireOptions>(values);
    const Dataset& graph = *data->graph();
    if (graph.graph.relations.size() > 1) {
      mixture_family_ = MixtureFamily::make(data->graph(), mixture_);
    } else {
      rewire_family_ =
          RewireFamily::make(data->graph(), find_candidates(graph, rewire_), rewire_, kSeed);
    }
    parts_ = {.data = data,
              .family = family(),
              .network = make_gcn(options_.model, data->num_features(),
                                  data->labels().num_classes(), kSeed),
              .task = make_task(data->labels(), {}, data->split().train)};
    problem_ = {.agreement = options_of<AgreementOptions>(values),
                .average = options_.em.average,
                .seed = kSeed};
    learner_ = std::make_unique<EmLearner>(
        parts_, problem_,
        EmLearnerOptions{
            .em = options_.em, .optim = options_.optim, .stop = options_.stop, .seed = kSeed});
  }

  const EmOptions& em() const { return options_.em; }

  // Returns test accuracy.
  double train() {
    FitObserver quiet;
    learner_->fit(quiet);
    const Prediction prediction = learner_->predict(parts_.data->predicted_rows(), {});
    const std::vector<int32_t>& test = parts_.data->split().test;
    return parts_.task->score(at_rows(prediction, test), Ranks::kSkip).scores.at("accuracy");
  }

  // Of every graph on the training nodes, with the weights that the network has now.
  std::vector<double> losses() const {
    return Problem(parts_, problem_).losses(family()->all_ids(), {});
  }

  Peer peer() const {
    const Dataset& data = *parts_.data->graph();
    const std::vector<Csr> matrices =
        rewire_family_ ? shift_matrices(rewire_family_->draws(), data.graph.num_nodes,
                                        *rewire_family_, rewire_.normalisation)
                       : shift_matrices(data.graph, *mixture_family_, mixture_);
    std::vector<at::Tensor> shift;
    for (const Csr& s : matrices) shift.push_back(coo_tensor(s));
    return {parts_.data, options_, family(), std::move(shift)};
  }

 private:
  std::shared_ptr<const GraphFamily> family() const {
    if (rewire_family_) return rewire_family_;
    return mixture_family_;
  }

  PeerOptions options_;
  MixtureOptions mixture_;
  RewireOptions rewire_;
  std::shared_ptr<const MixtureFamily> mixture_family_;  // one of the two
  std::shared_ptr<const RewireFamily> rewire_family_;
  ProblemParts parts_;
  ProblemOptions problem_;
  std::unique_ptr<EmLearner> learner_;
};

// What one run needs.
struct Case {
  std::shared_ptr<const Data> data;
  Settings settings;
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

void compare_losses(const std::vector<int32_t>& train, const Peer& peer, const Ours& ours,
                    double tolerance) {
  const std::vector<double> want = peer.losses(train);
  const std::vector<double> got = ours.losses();
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::abs(want[i] - got[i]) < tolerance) continue;
    std::fprintf(stderr, "train_bench: the losses of graph %zu differ: %.6f and %.6f\n", i, got[i],
                 want[i]);
    std::exit(1);
  }
}

// The same at the first weights, and, because without dropout both programs take the same steps,
// after a few of them.
void check(const Case& c) {
  const std::vector<int32_t>& train = c.data->split().train;
  const Ours untrained(c.data, c.settings);
  compare_losses(train, untrained.peer(), untrained, 1e-5);
  Ours ours(c.data, with(c.settings, {"em.rounds=1", "em.steps=5", "model.dropout=0",
                                      "model.input_dropout=0", "stop.rule=never"}));
  Peer peer = ours.peer();
  peer.train();
  ours.train();
  compare_losses(train, peer, ours, 1e-3);
}

Timed time_ours(const Case& c, const Settings& settings) {
  return timed([&] { return Ours(c.data, settings).train(); });
}

// `rounds` of them, not stopped early; 0: a whole run. All rounds take the same work.
void beside_peer(const Case& c, int64_t rounds) {
  Settings settings = c.settings;
  if (rounds > 0)
    settings = with(settings, {fmt::format("em.rounds={}", rounds), "stop.rule=never"});
  const Timed ours = time_ours(c, settings);
  at::set_num_threads(2);
  at::manual_seed(0);
  const Ours untrained(c.data, settings);
  const Timed peer = timed([&] { return untrained.peer().train(); });
  at::set_num_threads(1);
  const int64_t all = Ours(c.data, c.settings).em().rounds;
  std::printf("%s, em-gcn, seed 0, 2 threads, %s\n", c.data->name().c_str(),
              rounds > 0 ? fmt::format("{} of {} rounds", rounds, all).c_str() : "whole run");
  print("emgnn", ours);
  print("libtorch", peer);
  std::printf("  ratio     %9.1f   %9.1f\n", peer.seconds / ours.seconds,
              peer.processor_seconds / ours.processor_seconds);
}

// The same schedule, not stopped early, over 21 and over 231 mixtures.
void growth(const Case& c) {
  const EmOptions em = Ours(c.data, c.settings).em();
  const Settings coarse = with(c.settings, {fmt::format("stop.patience={}", em.rounds * em.steps)});
  const Settings fine = with(coarse, {fmt::format("space.step={}", 1.0 / 230.0)});
  const double few = time_ours(c, coarse).seconds;
  const double many = time_ours(c, fine).seconds;
  std::printf("%s, em-gcn, seed 0, 2 threads, %lld rounds\n", c.data->name().c_str(),
              static_cast<long long>(em.rounds));
  std::printf("   21 graphs %8.2f s\n  231 graphs %8.2f s\n  ratio      %8.2f\n", few, many,
              many / few);
}

Case load(const std::string& name, Settings settings) {
  const DatasetRequest request{.name = name,
                               .row_normalise = RunConfig("em-gcn", name).data.normalise_features};
  return {std::make_shared<Data>(load_dataset(request)), std::move(settings)};
}

void imdb(bool full) {
  const Case c = load("imdb", {});
  check(c);
  growth(c);
  beside_peer(c, full ? 0 : 2);
}

// Thirty rounds of ten steps, and after each step a validation over all 441 graphs: the schedule of
// the published program, without the loss that makes graphs agree.
void cora(bool full) {
  const Case c = load("cora", {"agreement.weight=0", "em.draws=1", "em.rounds=30", "em.steps=10",
                               "stop.rule=never", "stop.every=1", "stop.graphs=441"});
  check(c);
  beside_peer(c, full ? 0 : 1);
  print("whole run", time_ours(c, c.settings));
}

}  // namespace
}  // namespace emgnn

// train_bench [imdb|cora] [full]
int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const emgnn::Context::Scope threads{emgnn::Context(2)};
  at::set_num_threads(2);
  try {
    if (!has("cora")) emgnn::imdb(has("full"));
    if (!has("imdb")) emgnn::cora(has("full"));
  } catch (const emgnn::Error& error) {
    std::fprintf(stderr, "train_bench: left out: %s\n", error.what());
  }
  return 0;
}
