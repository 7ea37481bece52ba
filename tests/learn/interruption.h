// SPDX-License-Identifier: Apache-2.0
// What tests of stored and interrupted training share.
#pragma once

#include <gtest/gtest.h>

#include <string>

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

}  // namespace emgnn
