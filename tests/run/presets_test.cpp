// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/presets.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/auto_preset.h>
#include <emgnn/run/config.h>

namespace emgnn {
namespace {

ConfigEntry entry(const RunConfig& config, const std::string& key) {
  for (const ConfigEntry& e : config.entries())
    if (e.key == key) return e;
  throw std::logic_error("no " + key);
}

TEST(Presets, StandInPlaceOfTheDatasetAndSayWhereValuesComeFrom) {
  const RunConfig config("em-gcn", "texas", "", "citation");
  for (const char* key : {"agreement.weight", "space.normalisation", "data.normalise_features"}) {
    EXPECT_EQ(entry(config, key).value, entry(RunConfig("em-gcn", "cora"), key).value) << key;
    EXPECT_EQ(entry(config, key).layer, "preset citation") << key;
  }
  EXPECT_EQ(entry(config, "preset").value, "citation");
  EXPECT_EQ(entry(RunConfig("em-gcn", "texas"), "preset").value, "none");
}

TEST(Presets, AreNamedByLayersLikeAnySetting) {
  const auto width = [](std::vector<SettingLayer> layers) {
    return entry(resolve({"noisy-citations", "gcn", std::move(layers)}), "model.hidden").value;
  };
  const std::string without = width({});
  EXPECT_EQ(width({{"f.toml", "preset = \"dense\"\n", {}}}), "64");
  EXPECT_EQ(width({{"f.toml", "preset = \"dense\"\n", {}}, {"--set", "", {"preset=none"}}}),
            without);
  EXPECT_EQ(width({{"--set", "", {"model.hidden=9"}}, {"--preset", "", {"preset=dense"}}}), "9");
}

TEST(Presets, AllAreLegalForAllMethodsOfTheirData) {
  for (const Preset& preset : presets()) {
    EXPECT_FALSE(preset.summary.empty()) << preset.name;
    const std::string dataset =
        preset.kind == DataKind::kGraph ? "noisy-relations" : "toy-molecules";
    for (const MethodInfo& method : methods()) {
      if (!method.fits(preset.kind)) continue;
      EXPECT_EQ(entry(RunConfig(method.name, dataset, "", preset.name), "preset").value,
                preset.name);
    }
  }
}

// Beyond it judging may take a hundred times as long as training does.
TEST(Presets, GiveJudgingAShareOfTheTime) {
  for (const Preset& preset : presets()) {
    if (preset.kind != DataKind::kGraph) continue;
    const RunConfig config("em-gcn", "noisy-citations", "", preset.name);
    EXPECT_GT(std::stod(entry(config, "em.judging").value), 0.0) << preset.name;
    EXPECT_NE(entry(config, "em.evidence").value, "last-layer") << preset.name;
  }
}

TEST(Presets, AreRefusedWhereTheyDoNotFit) {
  EXPECT_THROW(RunConfig("gcn", "cora", "", "citatoin"), UsageError);
  EXPECT_THROW(RunConfig("gcn", "cora", "", "molecules"), UsageError);
  EXPECT_THROW(RunConfig("gcn", "esol", "", "web"), UsageError);
}

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(CandidatePresets, FollowTheData) {
  GraphFacts facts{.num_nodes = 1000,
                   .num_edges = 3000,
                   .num_edge_types = 1,
                   .features = FeatureKind::kBinary,
                   .num_train = 140,
                   .homophily = 0.8};
  EXPECT_EQ(candidate_presets(facts), (Names{"citation", "plain"}));
  facts.num_train = 200;
  EXPECT_EQ(candidate_presets(facts), (Names{"citation", "plain", "dense"}));
  facts.homophily.reset();
  EXPECT_TRUE(has(candidate_presets(facts), "web"));
  facts.homophily = 0.0;
  EXPECT_EQ(candidate_presets(facts).front(), "web");
  EXPECT_FALSE(has(candidate_presets(facts), "citation"));
  facts.num_train = 5000;
  facts.accuracy_after = {0.3, 0.4, 0.45, 0.8};
  facts.mean_degree = 2.0;
  EXPECT_EQ(candidate_presets(facts), Names{"deep"});
  facts.accuracy_after = {0.3, 0.4, 0.5, 0.5};
  EXPECT_FALSE(has(candidate_presets(facts), "heterogeneous"));
  facts.homophily = 0.8;
  facts.features = FeatureKind::kDense;
  EXPECT_FALSE(has(candidate_presets(facts), "citation"));
  facts.num_edge_types = 3;
  EXPECT_EQ(candidate_presets(facts).front(), "heterogeneous");
  for (const std::string& name : candidate_presets(facts)) EXPECT_TRUE(is_preset(name)) << name;
}

}  // namespace
}  // namespace emgnn
