// SPDX-License-Identifier: Apache-2.0
// What tests of stored and interrupted training share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/formats/safetensors.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/state.h>

namespace emgnn {

using Scope = StateVisitor::Scope;

// All that a learner knows, as the bytes of a file: equal bytes are equal bits.
inline std::string state_of(Learner& learner, Scope scope = Scope::kTraining) {
  StateWriter writer(scope);
  learner.visit_state(writer);
  return encode_tensors(writer.archive);
}

inline void restore(Learner& learner, const std::string& bytes, Scope scope = Scope::kTraining) {
  const TensorArchive archive = decode_tensors(bytes, "state");
  StateReader reader(archive, "state", scope);
  learner.visit_state(reader);
}

// Asks to stop at its n-th chance, from 0, and keeps the last checkpoint.
class StopAt : public FitObserver {
 public:
  explicit StopAt(int chance) : chance_(chance) {}
  bool stop_requested() override { return asked_++ == chance_; }
  void on_checkpoint(Learner& learner) override { state = state_of(learner); }

  int asked() const { return asked_; }
  std::string state;  // empty: none

 private:
  int chance_, asked_ = 0;
};

// Whether the fit was interrupted.
inline bool interrupted(Learner& learner, FitObserver& observer) {
  try {
    learner.fit(observer);
  } catch (const Interrupted&) {
    return true;
  }
  return false;
}

inline void fit(Learner& learner) {
  FitObserver quiet;
  learner.fit(quiet);
}

// Interrupts at every chance there is; a new learner that goes on from the checkpoint must end in
// the same state, bit for bit. `make` makes the same learner each time. Returns the chances.
template <class Make>
int expect_resumable(const Make& make) {
  const auto whole = make();
  fit(*whole);
  const std::string want = state_of(*whole);
  int chance = 0;
  for (bool was_interrupted = true; was_interrupted; ++chance) {
    StopAt observer(chance);
    const auto first = make();
    was_interrupted = interrupted(*first, observer);
    const auto second = make();
    if (!observer.state.empty()) restore(*second, observer.state);
    fit(*second);
    EXPECT_EQ(state_of(*second) == want, true) << "chance " << chance;
  }
  return chance;
}

// Takes every chance for a checkpoint and keeps them all.
class EveryCheckpoint : public FitObserver {
 public:
  bool checkpoint_due() override { return true; }
  void on_checkpoint(Learner& learner) override { states.push_back(state_of(learner)); }

  std::vector<std::string> states;
};

// As if the machine had failed behind each checkpoint that there may be, or behind `most` of them,
// spread evenly. Returns how many there are.
template <class Make>
size_t expect_same_from_every_checkpoint(const Make& make, size_t most = 1000) {
  const auto whole = make();
  fit(*whole);
  const std::string want = state_of(*whole);
  EveryCheckpoint observer;
  const auto first = make();
  first->fit(observer);
  EXPECT_EQ(state_of(*first) == want, true) << "checkpoints change the training";
  const size_t step = std::max<size_t>(1, observer.states.size() / most);
  for (size_t k = 0; k < observer.states.size(); k += step) {
    const auto second = make();
    restore(*second, observer.states[k]);
    fit(*second);
    EXPECT_EQ(state_of(*second) == want, true)
        << "checkpoint " << k << " of " << observer.states.size();
  }
  return observer.states.size();
}

}  // namespace emgnn
