// SPDX-License-Identifier: Apache-2.0
// A network whose parts have optimisers of their own and are trained in turn.
#include <gtest/gtest.h>

#include "bare_network.h"
#include "interruption.h"

#include <emgnn/learn/fit_loop.h>

namespace emgnn {
namespace {

class TwoParts : public BareNetwork {
 public:
  TwoParts() {
    add_parameter("a", at::zeros({1}), 0);
    add_parameter({.name = "b", .value = at::zeros({1}), .optimiser = 1});
  }
  std::pair<float, float> now() const {
    return {parameters()[0].value.item<float>(), parameters()[1].value.item<float>()};
  }
};

// One step of b, then two of a, all against a gradient of 1.
class InTurn : public Learner, private FitStep {
 public:
  explicit InTurn(std::vector<double> losses = {})
      : losses_(std::move(losses)),
        loop_({network_}, {.optim = {.learning_rate = 0.1, .weight_decay = 0.0},
                           .stop = {},
                           .rule = {.name = "loss", .score = ""},
                           .other_optim = {{.learning_rate = 0.01, .weight_decay = 0.0}}}) {}

  void fit(FitObserver& observer) override { loop_.run(*this, observer, *this); }
  FitSummary summary() const override { return {.epochs = loop_.epochs()}; }
  Prediction predict(std::span<const int32_t> /*rows*/, const Poll& /*poll*/) override {
    return {};
  }
  void visit_state(StateVisitor& visitor) override { loop_.visit_state(visitor); }

  std::pair<float, float> now() const { return network_->now(); }
  std::vector<std::pair<float, float>> validated;

 private:
  int64_t max_epochs() const override { return 4; }
  int64_t steps_per_epoch(size_t /*member*/) const override { return 3; }
  size_t optimiser(int64_t k) const override { return k == 0 ? 1 : 0; }
  double descend(size_t /*member*/, int64_t /*epoch*/, int64_t step) override {
    network_->parameters()[optimiser(step % 3)].value.mutable_grad() = at::ones({1});
    return 0.0;
  }
  bool validates_steps() const override { return true; }
  PartScores validate(size_t /*member*/, Ranks /*ranks*/) override {
    validated.push_back(network_->now());
    const double loss = losses_.empty() ? -validated.back().second : losses_[validated.size() - 1];
    return {loss, {}};
  }

  std::vector<double> losses_;
  std::shared_ptr<TwoParts> network_ = std::make_shared<TwoParts>();
  FitLoop loop_;
};

// A constant gradient moves Adam by the learning rate in each of its steps.
TEST(FitLoopOptimisers, EachMovesItsOwnParametersInItsOwnSteps) {
  InTurn learner;
  fit(learner);
  ASSERT_EQ(learner.validated.size(), 12U);
  for (size_t v = 0; v < 12; ++v) {
    const size_t epoch = v / 3, k = v % 3;
    EXPECT_NEAR(learner.validated[v].first, -0.1 * static_cast<double>(2 * epoch + k), 1e-5) << v;
    EXPECT_NEAR(learner.validated[v].second, -0.01 * static_cast<double>(epoch + 1), 1e-5) << v;
  }
}

TEST(FitLoopOptimisers, TheBestWeightsMayBeThoseInTheMiddleOfAnEpoch) {
  InTurn learner({9.0, 8.0, 7.0, 6.0, 1.0, 5.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0});
  fit(learner);
  EXPECT_EQ(learner.now(), learner.validated[4]);
}

TEST(FitLoopOptimisers, InterruptedTrainingEndsTheSame) {
  EXPECT_EQ(expect_resumable([] { return std::make_unique<InTurn>(); }), 4 * 3 + 1);
}

}  // namespace
}  // namespace emgnn
