// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/run_recorder.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>

#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::TempDir;

const RunIdentity kIdentity = {{"dataset", "d"},
                               {"data_sha256", "abc"},
                               {"method", "m"},
                               {"config", "{\"a\": 1}"},
                               {"seed", "3"}};

// A learner that is nothing but its state.
class SmallLearner : public Learner {
 public:
  explicit SmallLearner(int64_t width = 3, double value = 0.0)
      : weight(at::full({2, width}, value, at::kFloat)) {}

  void fit(FitObserver& /*observer*/) override {}
  FitSummary summary() const override { return {}; }
  Prediction predict(std::span<const int32_t> /*rows*/, const Poll& /*poll*/) override {
    return {};
  }
  void visit_state(StateVisitor& visitor) override {
    visitor.tensor("weight/w", weight);
    if (visitor.training()) visitor.number("loop/epoch", epoch);
  }

  at::Tensor weight;
  int64_t epoch = 0;
};

// Plain, so that thousands of damaged files take no time.
void overwrite(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class Recorder : public ::testing::Test {
 protected:
  Recorder() { folder_.move_to(dir_.path()); }

  // A checkpoint after epoch 2 of 3.
  std::string a_checkpoint() {
    SmallLearner learner(3, 0.5);
    RunRecorder recorder(folder_, kIdentity, quiet_, {.main_score = {.name = "accuracy"}}, {});
    for (int64_t epoch = 1; epoch <= 3; ++epoch) {
      recorder.on_epoch({.epoch = epoch, .max_epochs = 9, .train_loss = 0.25});
      learner.epoch = epoch;
      if (epoch == 2) recorder.on_checkpoint(learner);
    }
    return read_file(file());
  }
  std::filesystem::path file() const { return dir_ / kCheckpointFile; }
  std::string metrics() const { return read_file(dir_ / kMetricsFile); }

  TempDir dir_;
  RunFolder folder_;
  RunsObserver quiet_;
};

TEST_F(Recorder, ACheckpointPutsTheLearnerBack) {
  a_checkpoint();
  SmallLearner learner;
  const auto start = resume(folder_, kIdentity, learner);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->epoch, 2);
  EXPECT_EQ(start->lines, 2);
  EXPECT_EQ(learner.epoch, 2);
  EXPECT_EQ(learner.weight[1][2].item<float>(), 0.5F);
}

TEST_F(Recorder, WithoutACheckpointThereIsNothingToResume) {
  SmallLearner learner;
  EXPECT_FALSE(resume(folder_, kIdentity, learner).has_value());
}

TEST_F(Recorder, LinesAfterTheCheckpointAreWrittenAgain) {
  a_checkpoint();
  const std::string whole = metrics();
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 3);
  append_to_file(dir_ / kMetricsFile, "{\"event\": \"epo");  // cut off by a crash
  RunRecorder recorder(folder_, kIdentity, quiet_, {.main_score = {.name = "accuracy"}},
                       {.epoch = 2, .lines = 2, .seconds = 5});
  EXPECT_EQ(whole.find(metrics()), 0U);
  recorder.on_epoch({.epoch = 3, .max_epochs = 9, .train_loss = 0.25});
  EXPECT_EQ(metrics(), whole);
  EXPECT_GE(recorder.seconds(), 5.0);
}

TEST_F(Recorder, ARoundStandsBeforeItsEpochs) {
  RunRecorder recorder(folder_, kIdentity, quiet_, {.main_score = {.name = "rmse"}}, {.epoch = 4});
  recorder.on_round({.round = 2, .eta = 4.5});
  EpochRecord epoch{.epoch = 5, .max_epochs = 9, .round = 2, .train_loss = 0.5};
  epoch.validation = PartScores{0.75, {{"rmse", 1.5}, {"mae", 1.0}}};
  recorder.on_epoch(epoch);
  EMGNN_EXPECT_PART(metrics(), R"({"event":"round","epoch":5,"round":2,"eta":4.5)");
  EMGNN_EXPECT_PART(metrics(), R"("train_loss":0.5,"validation_loss":0.75,"validation_rmse":1.5})");
}

TEST_F(Recorder, ACheckpointOfAnotherRunIsRefusedWithTheDifference) {
  a_checkpoint();
  SmallLearner learner;
  const auto refused = [&](const std::string& key, const std::string& value) {
    RunIdentity other = kIdentity;
    other[key] = value;
    return message_of<UsageError>([&] { resume(folder_, other, learner); });
  };
  EXPECT_EQ(refused("seed", "4"),
            file().string() + ": a checkpoint of another run: seed is 3 there and 4 here");
  EMGNN_EXPECT_PART(refused("config", std::string(100, 'x')), "its config differs");
  EMGNN_EXPECT_PART(refused("dataset", "e"), "dataset is d there and e here");
}

TEST_F(Recorder, ACheckpointIsDueWhenTheLastOneIsOld) {
  SmallLearner learner;
  RunRecorder always(folder_, kIdentity, quiet_,
                     {.main_score = {}, .checkpoint_period = std::chrono::seconds(0)}, {});
  EXPECT_TRUE(always.checkpoint_due());
  RunRecorder recorder(folder_, kIdentity, quiet_, {.main_score = {}}, {});
  EXPECT_FALSE(recorder.checkpoint_due());
  recorder.on_checkpoint(learner);
  EXPECT_FALSE(recorder.checkpoint_due());
}

TEST_F(Recorder, ACheckpointOfAnotherVersionIsToldAsSuch) {
  TensorArchive archive = decode_tensors(a_checkpoint(), "f");
  archive.metadata["format"] = "emgnn checkpoint 3";
  overwrite(file(), encode_tensors(archive));
  SmallLearner learner;
  EMGNN_EXPECT_PART(message_of<UsageError>([&] { resume(folder_, kIdentity, learner); }),
                    "a checkpoint of another version of emgnn (emgnn checkpoint 3, ");
}

TEST_F(Recorder, ACheckpointOfOtherShapesIsDamaged) {
  a_checkpoint();
  SmallLearner wider(4);
  EMGNN_EXPECT_PART(message_of<DataError>([&] { resume(folder_, kIdentity, wider); }),
                    file().string() + ": damaged checkpoint");
}

TEST_F(Recorder, EveryTruncationIsDamaged) {
  const std::string bytes = a_checkpoint();
  for (size_t n = 0; n < bytes.size(); ++n) {
    overwrite(file(), bytes.substr(0, n));
    SmallLearner learner;
    EXPECT_THROW(resume(folder_, kIdentity, learner), DataError) << n;
  }
}

TEST_F(Recorder, AFlippedBitNeverPasses) {
  const std::string bytes = a_checkpoint();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    overwrite(file(), flipped);
    SmallLearner learner;
    EXPECT_THROW(resume(folder_, kIdentity, learner), Error) << i;
  }
}

}  // namespace
}  // namespace emgnn
