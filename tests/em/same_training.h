// SPDX-License-Identifier: Apache-2.0
// What tests of interrupted and repeated training share.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <emgnn/em/trainer.h>

namespace emgnn::testing {

inline void expect_same(const TrainResult& a, const TrainResult& b) {
  EXPECT_TRUE(a.prediction.value.equal(b.prediction.value));
  EXPECT_TRUE(a.prediction.spread.equal(b.prediction.spread));
  EXPECT_EQ(a.posterior.log_probs(), b.posterior.log_probs());
  EXPECT_EQ(a.test.loss, b.test.loss);
}

// Asks to stop at its n-th chance.
class StopAt : public Observer {
 public:
  explicit StopAt(int chance) : chance_(chance) {}
  bool stop_requested() override { return asked_++ == chance_; }
  void on_checkpoint(const TrainState& state) override { last = state; }
  TrainState last;

 private:
  int chance_, asked_ = 0;
};

}  // namespace emgnn::testing
