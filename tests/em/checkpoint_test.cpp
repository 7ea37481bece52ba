// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/checkpoint.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <emgnn/base/error.h>
#include <emgnn/em/safetensors.h>

namespace emgnn {
namespace {

const RunIdentity kIdentity{
    .dataset = "d", .data_sha256 = "abc", .method = "m", .config = "a = 1\nb = 2\n", .seed = 3};

class SmallNetwork : public Network {
 public:
  explicit SmallNetwork(int64_t width = 3) {
    add_parameter("layer0/weight", at::arange(6, at::kFloat).reshape({2, 3}), 0);
    add_parameter("layer0/bias", at::ones({width}), 0);
    add_buffer("layer0/mean", at::zeros({width}));
  }
};

Checkpoint a_checkpoint() {
  Checkpoint checkpoint;
  TrainState& state = checkpoint.state;
  checkpoint.seconds = 1.25;
  state.step = 17;
  state.stop = {.best_loss = 0.1, .best_accuracy = 2.0 / 3.0, .waited = 4};
  state.posterior = Posterior::uniform({0, 1, 5});
  state.best_posterior = Posterior::from_log_prob({2}, {0.0});
  state.rounds = {{.round = 1,
                   .eta = 4.0,
                   .mean_loss = 0.3,
                   .normalizer_ratio = -0.1,
                   .posterior = *state.posterior}};
  const SmallNetwork network;
  for (const Parameter& p : network.parameters()) {
    state.weights.push_back(p.value.detach() + 1.0);
    state.best_weights.push_back(p.value.detach() + 2.0);
    state.first_moment.push_back(p.value.detach() * 0.1);
    state.second_moment.push_back(p.value.detach() * 0.2);
  }
  state.weights.push_back(network.buffers()[0].value + 1.0);
  state.best_weights.push_back(network.buffers()[0].value + 2.0);
  return checkpoint;
}

std::string bytes_of(const Checkpoint& checkpoint) {
  return encode_checkpoint(checkpoint, SmallNetwork(), kIdentity);
}

TEST(Checkpoint, ComesBackByteForByte) {
  const std::string bytes = bytes_of(a_checkpoint());
  const Checkpoint back = decode_checkpoint(bytes, "f", SmallNetwork(), kIdentity);
  EXPECT_EQ(back.state.step, 17);
  EXPECT_EQ(back.state.posterior->lam_ids(), (std::vector<int64_t>{0, 1, 5}));
  EXPECT_EQ(back.seconds, 1.25);
  EXPECT_EQ(bytes_of(back), bytes);
}

TEST(Checkpoint, OfARunThatHasNotBegunComesBack) {
  Checkpoint checkpoint = a_checkpoint();
  checkpoint.state.posterior.reset();
  checkpoint.state.best_posterior.reset();
  checkpoint.state.best_weights.clear();
  checkpoint.state.rounds.clear();
  checkpoint.state.stop = {};  // the best loss is infinite
  const std::string bytes = bytes_of(checkpoint);
  EXPECT_EQ(bytes_of(decode_checkpoint(bytes, "f", SmallNetwork(), kIdentity)), bytes);
}

TEST(Checkpoint, OfAnotherRunIsRefusedWithTheDifference) {
  const std::string bytes = bytes_of(a_checkpoint());
  RunIdentity other = kIdentity;
  other.seed = 4;
  try {
    decode_checkpoint(bytes, "f", SmallNetwork(), other);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "f: a checkpoint of another run: seed is 3 there and 4 here");
  }
  other = kIdentity;
  other.config = "a = 1\nb = 3\n";
  EXPECT_THROW(decode_checkpoint(bytes, "f", SmallNetwork(), other), UsageError);
}

TEST(Checkpoint, OfOtherShapesIsDamaged) {
  EXPECT_THROW(decode_checkpoint(bytes_of(a_checkpoint()), "f", SmallNetwork(4), kIdentity),
               DataError);
}

TEST(Checkpoint, EveryTruncationIsDamaged) {
  const std::string bytes = bytes_of(a_checkpoint());
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW(decode_checkpoint(bytes.substr(0, n), "f", SmallNetwork(), kIdentity), DataError)
        << n;
  }
}

TEST(Checkpoint, AFlippedBitNeverPasses) {
  const std::string bytes = bytes_of(a_checkpoint());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    EXPECT_THROW(decode_checkpoint(flipped, "f", SmallNetwork(), kIdentity), Error) << i;
  }
}

TEST(Safetensors, KeepsNamesShapesTypesAndMetadata) {
  TensorFile file;
  file.tensors = {{"empty", at::empty({0, 4}, at::kDouble)},
                  {"scalar", at::scalar_tensor(2.5, at::kDouble)},
                  {"ids", at::arange(5, at::kLong)},
                  {"strided", at::arange(6, at::kFloat).reshape({2, 3}).t()}};
  file.metadata = {{"key", "line\n\"quoted\""}};
  const TensorFile back = decode_safetensors(encode_safetensors(file), "f");
  EXPECT_EQ(back.metadata.at("key"), file.metadata.at("key"));
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(back.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(back.tensors.at(name), tensor)) << name;
  }
}

TEST(Safetensors, RefusesHeadersThatLie) {
  const auto with_header = [](std::string header, size_t data_bytes) {
    const uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), 8) + header +
           std::string(data_bytes, '\0');
  };
  const std::vector<std::string> lies = {
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
      R"({"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}})",
      R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,99]}})",
      R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})",
      R"({"a":{"dtype":"F32","shape":"x","data_offsets":[0,4]}})",
      R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})",
      R"([])",
      R"({"a":3})",
      R"({"__metadata__":[1]})"};
  for (const std::string& header : lies) {
    EXPECT_THROW(decode_safetensors(with_header(header, 4), "f"), DataError) << header;
  }
  EXPECT_NO_THROW(decode_safetensors(
      with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4), "f"));
}

}  // namespace
}  // namespace emgnn
