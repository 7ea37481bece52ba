// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/plan.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/run/auto_preset.h>
#include <emgnn/run/config.h>
#include <emgnn/run/load.h>

namespace emgnn {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kWarmup = "em.warmup";
constexpr const char* kRounds = "em.rounds";
constexpr const char* kEnsemble = "ensemble";
constexpr const char* kEvery = "stop.every";
constexpr int64_t kMostEvery = 32;  // epochs from one validation to the next
constexpr int64_t kEpochs = 4;      // the first prepares what the others share

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Times the epochs, and ends training when enough were seen, a validation among them.
class Stopwatch : public FitObserver {
 public:
  Stopwatch(bool has_rounds, RunsObserver& next) : has_rounds_(has_rounds), next_(next) {}

  void on_round(const RoundRecord& /*round*/) override {
    const Clock::time_point now = Clock::now();
    if (rounds_++ == 0) round_seconds = seconds_between(last_, now);
    last_ = now;
  }

  void on_epoch(const EpochRecord& epoch) override {
    const Clock::time_point now = Clock::now();
    epoch_seconds_.push_back(seconds_between(last_, now));
    last_ = now;
    max_epochs = epoch.max_epochs;
    if (epoch.validation) validated_ = !has_rounds_ || rounds_ > 0;
  }

  bool stop_requested() override {
    by_user = by_user || next_.stop_requested();
    return by_user || (validated_ && measured() >= kEpochs);
  }

  int64_t measured() const { return static_cast<int64_t>(epoch_seconds_.size()); }
  // The mean of all but the first.
  double epoch_seconds() const {
    if (measured() < 2) return first_epoch_seconds();
    const double sum = std::accumulate(epoch_seconds_.begin() + 1, epoch_seconds_.end(), 0.0);
    return sum / static_cast<double>(measured() - 1);
  }
  double first_epoch_seconds() const { return epoch_seconds_.empty() ? 0.0 : epoch_seconds_[0]; }

  int64_t max_epochs = 0;
  double round_seconds = 0.0;
  bool by_user = false;

 private:
  bool has_rounds_;
  RunsObserver& next_;
  Clock::time_point last_ = Clock::now();
  int64_t rounds_ = 0;
  bool validated_ = false;  // after an E-step where there are some
  std::vector<double> epoch_seconds_;
};

int64_t whole(const std::map<std::string, std::string>& values, const char* key) {
  const auto at = values.find(key);
  return at == values.end() ? 0 : std::stoll(at->second);
}

}  // namespace

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

RunPlan plan_run(const RunRequest& request, RunsObserver& observer) {
  const Context::Scope scope(request.context);
  const RunRequest chosen = with_preset(request, observer);
  RunConfig config = resolve(chosen.config);
  const Clock::time_point start = Clock::now();
  observer.on_phase({"reading " + request.config.dataset, false});
  DataSource source({.dataset = chosen.config.dataset,
                     .data_dir = chosen.data_dir,
                     .options = config.data,
                     .seed = chosen.seed});
  const std::shared_ptr<const Data> data = source.load(
      0, [&](const MoleculeProgress& progress) { return observer.on_molecule(progress); });
  config.narrow(facts_of(*data));
  const auto values = config.values();
  RunPlan plan;
  // Members of an ensemble are alike.
  const int64_t members = std::max<int64_t>(1, whole(values, kEnsemble));
  if (members > 1) config.read_stored({{kEnsemble, "1"}});
  plan.rounds = members * whole(values, kRounds);
  // Epochs before the first E-step are like those after it, and there may be hundreds.
  const int64_t skipped = std::max<int64_t>(0, whole(values, kWarmup) - 1);
  if (skipped > 0) config.read_stored({{kWarmup, "1"}});
  if (whole(values, kEvery) > kMostEvery)
    config.read_stored({{kEvery, std::to_string(kMostEvery)}});
  observer.on_phase({"preparing the graphs", false});
  const std::shared_ptr<Learner> learner =
      config.learner({.data = data, .prepared = std::make_shared<Prepared>(), .seed = chosen.seed});
  plan.prepare_seconds = seconds_between(start, Clock::now());
  observer.on_phase({"measuring", false});
  Stopwatch watch(plan.rounds > 0, observer);
  const Clock::time_point fit_start = Clock::now();
  bool ended = false;
  try {
    learner->fit(watch);
    ended = true;
  } catch (const Interrupted&) {
    if (watch.by_user || observer.stop_requested()) throw;
  }
  const double fit_seconds = seconds_between(fit_start, Clock::now());
  const Clock::time_point predict_start = Clock::now();
  learner->predict(data->predicted_rows(), [&] {
    if (observer.stop_requested()) throw Interrupted("interrupted while measuring");
  });
  plan.predict_seconds = seconds_between(predict_start, Clock::now());
  plan.measured_epochs = watch.measured();
  plan.epochs = members * (ended ? learner->summary().epochs : watch.max_epochs + skipped);
  plan.epoch_seconds = watch.epoch_seconds();
  plan.round_seconds = watch.round_seconds;
  const double training = ended ? static_cast<double>(members) * fit_seconds
                                : watch.first_epoch_seconds() +
                                      static_cast<double>(plan.epochs - 1) * plan.epoch_seconds +
                                      static_cast<double>(plan.rounds) * plan.round_seconds;
  plan.seconds = plan.prepare_seconds + training + plan.predict_seconds;
  plan.peak_mb = peak_rss_mb();
  return plan;
}

}  // namespace emgnn
