// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/stored_model.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

class SmallNetwork : public Network {
 public:
  SmallNetwork(int64_t width, double value) {
    add_parameter("weight", at::full({2, width}, value), 0);
    add_buffer("mean", at::full({width}, value));
  }
};

StoredModel a_model() {
  return {.run = {.dataset = "a b.csv",
                  .data_sha256 = "c",
                  .method = "m",
                  .config = "x = 1\n",
                  .seed = 7},
          .weights = weights_of(SmallNetwork(3, 0.5)),
          .posterior = Posterior::uniform({0, 4}),
          .scale = {.mean = -3.8, .std = 3.85},
          .classes = {"crime", "a, \"b\""},
          .edge_types = {"wrote"},
          .node_types = {"book"}};
}

TEST(StoredModel, ComesBackWithAllThatPredictingNeeds) {
  const StoredModel back = decode_model(encode_model(a_model()), "f");
  EXPECT_EQ(back.run.dataset, "a b.csv");
  EXPECT_EQ(back.run.config, "x = 1\n");
  EXPECT_EQ(back.run.seed, 7U);
  EXPECT_EQ(back.posterior.lam_ids(), (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(back.posterior.log_probs(), a_model().posterior.log_probs());
  EXPECT_EQ(back.scale.mean, -3.8);
  EXPECT_EQ(back.scale.std, 3.85);
  EXPECT_EQ(back.classes, a_model().classes);
  EXPECT_EQ(back.edge_types, a_model().edge_types);
  EXPECT_EQ(back.node_types, a_model().node_types);
  EXPECT_EQ(encode_model(back), encode_model(a_model()));
  const SmallNetwork network(3, 0.0);
  assign(network, back, "data");
  EXPECT_EQ(network.parameters()[0].value[1][2].item<float>(), 0.5F);
  EXPECT_EQ(network.buffers()[0].value[2].item<float>(), 0.5F);
}

TEST(StoredModel, OfAnotherShapeIsRefusedByName) {
  try {
    assign(SmallNetwork(4, 0.0), a_model(), "new.csv");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "new.csv does not fit the model: mean is 3 there and 4 here");
  }
}

TEST(StoredModel, DamageIsNamedWithItsFile) {
  const std::string bytes = encode_model(a_model());
  for (size_t n = 0; n < bytes.size(); n += 7)
    EXPECT_THROW(decode_model(bytes.substr(0, n), "f"), DataError) << n;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    try {
      decode_model(flipped, "dir/f");  // a changed letter of a name may pass
    } catch (const DataError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("dir/f: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace emgnn
