// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/model_file.h>

#include <gtest/gtest.h>

#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::TempDir;

ModelFile a_model() {
  const std::vector<float> weights = {0.5F, -1.0F};
  ModelFile model{.dataset = "a b.csv",
                  .method = "m",
                  .seed = 7,
                  .config = {{"x", "1"}, {"y.z", "a \"quoted\" word"}},
                  .schema = {.labels = LabelKind::kClasses,
                             .label_names = {"crime", "a, \"b\""},
                             .edge_types = {"wrote", "read"},
                             .node_types = {"book"},
                             .all_node_types = {"paper", "author"},
                             .feature_names = {"f", "é"},
                             .num_features = 2,
                             .node_names = {"n1", "n2", "n3"}},
                  .archive = {}};
  model.archive.tensors["weight/w"] = TensorData::from<float>(weights, {2});
  return model;
}

TEST(ModelFile, ComesBackWithAllThatPredictingNeeds) {
  const ModelFile back = decode_model(encode_model(a_model()), "f");
  EXPECT_EQ(back.dataset, "a b.csv");
  EXPECT_EQ(back.method, "m");
  EXPECT_EQ(back.seed, 7U);
  EXPECT_EQ(back.config, a_model().config);
  EXPECT_EQ(back.schema.labels, LabelKind::kClasses);
  EXPECT_EQ(back.schema.label_names, a_model().schema.label_names);
  EXPECT_EQ(back.schema.edge_types, a_model().schema.edge_types);
  EXPECT_EQ(back.schema.node_types, a_model().schema.node_types);
  EXPECT_EQ(back.schema.all_node_types, a_model().schema.all_node_types);
  EXPECT_EQ(back.schema.feature_names, a_model().schema.feature_names);
  EXPECT_EQ(back.schema.num_features, 2);
  EXPECT_EQ(back.schema.node_names, a_model().schema.node_names);
  EXPECT_EQ(back.archive.tensors, a_model().archive.tensors);
  ModelFile again = back;
  again.archive.metadata.clear();
  EXPECT_EQ(encode_model(again), encode_model(a_model()));
}

TEST(ModelFile, KnowsEveryKindOfLabel) {
  for (LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues}) {
    ModelFile model = a_model();
    model.schema.labels = kind;
    EXPECT_EQ(decode_model(encode_model(model), "f").schema.labels, kind);
  }
}

TEST(ModelFile, DamageIsNamedWithItsFile) {
  const std::string bytes = encode_model(a_model());
  for (size_t n = 0; n < bytes.size(); n += 7)
    EXPECT_THROW(decode_model(bytes.substr(0, n), "f"), DataError) << n;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    try {
      decode_model(flipped, "dir/f");  // a changed letter in the checksum's own name may pass
    } catch (const DataError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("dir/f: ")) << error.what();
    }
  }
}

TEST(ModelFile, WhatIsNoModelIsSaidToBeNone) {
  TensorArchive archive;
  const auto message = [&] {
    return message_of<DataError>([&] { decode_model(encode_tensors(archive), "f"); });
  };
  EXPECT_EQ(message(), "f: not a model of emgnn: its format is \"none\" and not \"emgnn model 2\"");
  archive.metadata["format"] = "emgnn model 3";
  EMGNN_EXPECT_PART(message(), "its format is \"emgnn model 3\"");
  archive.metadata["format"] = "emgnn model 2";
  EMGNN_EXPECT_PART(message(), "dataset is missing");
  archive = decode_tensors(encode_model(a_model()), "f");
  archive.metadata["seed"] = "7x";
  EMGNN_EXPECT_PART(message(), "seed: expected a number");
  archive.metadata["seed"] = "7";
  archive.metadata["labels"] = "[1]";
  EMGNN_EXPECT_PART(message(), "labels: ");
  archive.metadata["labels"] = "[]";
  archive.metadata["task"] = "guessing";
  EMGNN_EXPECT_PART(message(), "an unknown task");
}

TEST(ModelFile, AFolderWithoutOneFinishedRunIsNamed) {
  const TempDir dir;
  const auto message = [](const std::filesystem::path& run) {
    return message_of<UsageError>([&] { read_model(run); });
  };
  EMGNN_EXPECT_PART(message(dir / "nowhere"), "nowhere: no such folder");
  EMGNN_EXPECT_PART(message(dir.path()), "no model.safetensors: not the folder of a finished run");
  dir.write("seed-0/model.safetensors", encode_model(a_model()));
  EMGNN_EXPECT_PART(message(dir.path()), "several runs; choose one of them, as in ");
  EXPECT_EQ(read_model(dir / "seed-0").method, "m");
}

TEST(ModelFile, TheSchemaOfDataHasItsNames) {
  Dataset graph{.name = "g"};
  graph.graph = {.num_nodes = 2,
                 .relations = {{"e", csr_from_coo(2, 2, {}, Duplicates::kKeepFirst)}}};
  graph.features = {
      .num_rows = 2, .num_cols = 1, .is_sparse = false, .dense = {1, 2}, .names = {"f"}};
  graph.labels = {.kind = LabelKind::kClasses, .num_rows = 2, .names = {"a"}, .cls = {0, kNoLabel}};
  graph.node_names = {"x", "y"};
  graph.node_type_names = {"s", "t"};
  graph.node_type = {1, 0};
  const Data data(graph);
  const DataSchema schema = schema_of(data, true);
  EXPECT_EQ(schema.edge_types, (std::vector<std::string>{"e"}));
  EXPECT_EQ(schema.node_types, (std::vector<std::string>{"t"}));
  EXPECT_EQ(schema.feature_names, (std::vector<std::string>{"f"}));
  EXPECT_EQ(schema.label_names, (std::vector<std::string>{"a"}));
  EXPECT_EQ(schema.node_names, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(schema_of(data, false).node_names.empty());
}

TEST(ReadModel, AFolderThatCannotBeLookedAtIsNamed) {
  const TempDir dir;
  std::filesystem::create_symlink("loop", dir / "loop");
  EMGNN_EXPECT_PART(message_of<UsageError>([&] { read_model(dir / "loop"); }),
                    (dir / "loop").string() + ": cannot be read: ");
  const std::filesystem::path too_long = dir / std::string(300, 'x');
  EMGNN_EXPECT_PART(message_of<UsageError>([&] { read_model(too_long); }), ": cannot be read: ");
}

}  // namespace
}  // namespace emgnn
