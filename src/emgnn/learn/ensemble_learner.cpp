// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/ensemble_learner.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/learn/task.h>

namespace emgnn {

namespace {

// What a member visits, under names of its own.
class MemberState : public StateVisitor {
 public:
  MemberState(StateVisitor& all, int64_t member)
      : StateVisitor(all.training() ? Scope::kTraining : Scope::kModel),
        all_(all),
        prefix_(fmt::format("member/{}/", member)) {}

  bool reading() const override { return all_.reading(); }
  void tensor(const std::string& name, at::Tensor& value) override {
    all_.tensor(prefix_ + name, value);
  }
  void node_tensor(const std::string& name, at::Tensor& value) override {
    all_.node_tensor(prefix_ + name, value);
  }
  void numbers(const std::string& name, std::vector<double>& values) override {
    all_.numbers(prefix_ + name, values);
  }
  void numbers(const std::string& name, std::vector<int64_t>& values) override {
    all_.numbers(prefix_ + name, values);
  }
  bool has(const std::string& name, bool here) override { return all_.has(prefix_ + name, here); }
  [[noreturn]] void fail(const std::string& what) const override {
    all_.fail(prefix_ + what);
    throw InternalError("a failure that does not throw");  // compilers ask for it
  }

 private:
  StateVisitor& all_;
  std::string prefix_;
};

// Tells of a member's training as a part of the ensemble's.
class MemberObserver : public FitObserver {
 public:
  struct Place {
    int64_t member = 0;
    int64_t num_members = 1;
    int64_t epochs_before = 0;  // of the members before
  };
  MemberObserver(FitObserver& next, Learner& ensemble, const Place& place)
      : next_(next), ensemble_(ensemble), place_(place) {}

  void on_round(const RoundRecord& round) override {
    RoundRecord record = round;
    record.member = place_.member;
    next_.on_round(record);
  }
  void on_epoch(const EpochRecord& epoch) override {
    EpochRecord record = epoch;
    record.member = place_.member;
    record.epoch += place_.epochs_before;
    record.max_epochs =
        place_.epochs_before + (place_.num_members - place_.member) * epoch.max_epochs;
    next_.on_epoch(record);
  }
  void on_note(const std::string& note) override {
    if (place_.member == 0) next_.on_note(note);  // it is the same for all
  }
  void on_phase(const std::string& what) override { next_.on_phase(what); }
  void on_checkpoint(Learner& /*member*/) override {
    next_.on_checkpoint(ensemble_);
    has_checkpoint_ = true;
  }
  bool checkpoint_due() override { return next_.checkpoint_due(); }
  bool stop_requested() override { return next_.stop_requested(); }

  bool has_checkpoint() const { return has_checkpoint_; }

 private:
  FitObserver& next_;
  Learner& ensemble_;
  Place place_;
  bool has_checkpoint_ = false;
};

std::string file_of_member(const std::string& file, int64_t member) {
  const std::filesystem::path path(file);
  return fmt::format("{}-member-{}{}", path.stem().string(), member, path.extension().string());
}

}  // namespace

EnsembleLearner::EnsembleLearner(std::vector<std::shared_ptr<Learner>> members,
                                 std::shared_ptr<const Task> task)
    : members_(std::move(members)), task_(std::move(task)) {
  EMGNN_CHECK(!members_.empty(), "an ensemble has at least one member", members_.size());
}

void EnsembleLearner::fit(FitObserver& observer) {
  for (; finished_ < size(); ++finished_) fit_member(finished_, observer);
}

void EnsembleLearner::fit_member(int64_t k, FitObserver& observer) {
  MemberObserver::Place place{.member = k, .num_members = size()};
  for (int64_t i = 0; i < k; ++i)
    place.epochs_before += members_[static_cast<size_t>(i)]->summary().epochs;
  MemberObserver own(observer, *this, place);
  try {
    members_[static_cast<size_t>(k)]->fit(own);
  } catch (const Interrupted& stop) {
    // A method that has nothing to resume from hands over none: the members before are kept.
    if (!own.has_checkpoint()) observer.on_checkpoint(*this);
    throw Interrupted(fmt::format("member {} of {}: {}", k + 1, size(), stop.what()));
  }
}

FitSummary EnsembleLearner::summary() const {
  FitSummary out;
  for (int64_t k = 0; k < size(); ++k) {
    FitSummary one = members_[static_cast<size_t>(k)]->summary();
    out.epochs += one.epochs;
    out.stopped_early |= one.stopped_early;
    for (RoundRecord& round : one.rounds) {
      round.member = k;
      out.rounds.push_back(std::move(round));
    }
    if (one.sampled && (!out.sampled || !one.sampled->worst.converged())) out.sampled = one.sampled;
    if (k == 0) {
      out.shares = one.shares;
      for (ViewShare& share : out.shares) share.value = 0.0;
    }
    for (size_t v = 0; v < out.shares.size(); ++v)
      out.shares[v].value += one.shares[v].value / static_cast<double>(size());
  }
  return out;
}

Prediction EnsembleLearner::predict(std::span<const int32_t> rows, const Poll& poll) {
  std::vector<Prediction> each;
  for (const auto& member : members_) each.push_back(member->predict(rows, poll));
  return task_->average(each);
}

void EnsembleLearner::visit_state(StateVisitor& visitor) {
  int64_t begun = size();
  if (visitor.training()) {
    visitor.number("ensemble/finished", finished_);
    if (finished_ < 0 || finished_ > size())
      visitor.fail("ensemble/finished is not a number of members");
    begun = std::min(finished_ + 1, size());
  }
  for (int64_t k = 0; k < begun; ++k) {
    MemberState own(visitor, k);
    members_[static_cast<size_t>(k)]->visit_state(own);
  }
}

bool EnsembleLearner::has_node_weights() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& member) { return member->has_node_weights(); });
}

std::optional<GraphDistribution> EnsembleLearner::graphs() const {
  std::vector<GraphDistribution> each;
  for (const auto& member : members_) {
    std::optional<GraphDistribution> own = member->graphs();
    if (!own) return std::nullopt;
    each.push_back(std::move(*own));
  }
  return mixture_of(each);
}

FamilyReport EnsembleLearner::graph_report() const {
  FamilyReport out;
  for (int64_t k = 0; k < size(); ++k) {
    FamilyReport own = members_[static_cast<size_t>(k)]->graph_report();
    for (FamilyTable& table : own.tables)
      out.tables.push_back({file_of_member(table.file, k), std::move(table.csv)});
    if (k == 0) {
      out.edges = std::move(own.edges);
    } else {
      for (size_t e = 0; e < out.edges.size(); ++e) out.edges[e].p += own.edges.at(e).p;
    }
  }
  for (EdgeProbability& edge : out.edges) edge.p /= static_cast<double>(size());
  return out;
}

std::vector<JudgedGraph> EnsembleLearner::judge_graphs(std::span<const int32_t> rows,
                                                       const Poll& poll) {
  std::map<int64_t, std::vector<JudgedGraph>> by_graph;
  for (const auto& member : members_)
    for (const JudgedGraph& graph : member->judge_graphs(rows, poll))
      by_graph[graph.lam_id].push_back(graph);
  std::vector<JudgedGraph> out;
  for (const auto& [lam_id, judged] : by_graph) {
    if (judged.size() != members_.size()) continue;
    JudgedGraph mean{.lam_id = lam_id};
    for (const JudgedGraph& one : judged) {
      mean.loss += one.loss / static_cast<double>(judged.size());
      mean.score += one.score / static_cast<double>(judged.size());
    }
    out.push_back(mean);
  }
  return out;
}

}  // namespace emgnn
