// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/config.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>
#include <emgnn/em/experiment.h>

namespace emgnn {
namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Config, ResolvedTomlReadsBackToTheSameConfig) {
  RunConfig config;
  set(config, "em.variant=po");
  set(config, "em.eta=7.25");
  set(config, "em.labels=train+validation");
  set(config, "split=random:0.8/0.1/0.1");
  set(config, "model.bias=false");
  set(config, "optim.weight_decay=5e-4");
  RunConfig again;
  read_toml(again, to_toml(config), "config.toml");
  EXPECT_EQ(to_toml(again), to_toml(config));
  EXPECT_EQ(again.train.em.variant, Variant::kPo);
  EXPECT_EQ(again.data.split, "random:0.8/0.1/0.1");
}

TEST(Config, EveryEntryCanBeSetFromItsOwnText) {
  RunConfig config;
  for (const ConfigEntry& entry : entries(config)) {
    EXPECT_NO_THROW(set(config, entry.key, entry.value)) << entry.key;
    EXPECT_FALSE(entry.help.empty());
  }
}

TEST(Config, UnknownKeyNamesNearMatches) {
  RunConfig config;
  EXPECT_NE(message_of([&] { set(config, "em.round=3"); }).find("em.rounds"), std::string::npos);
  EXPECT_NE(message_of([&] { set(config, "rounds=3"); }).find("em.rounds"), std::string::npos);
  EXPECT_NE(message_of([&] { read_toml(config, "[em]\nstepz = 3\n", "f.toml"); }).find("f.toml:2"),
            std::string::npos);
}

TEST(Config, WrongTypesAndBoundsAreNamed) {
  RunConfig config;
  EXPECT_NE(message_of([&] { set(config, "em.rounds=0"); }).find("em.rounds: expected integer"),
            std::string::npos);
  EXPECT_NE(message_of([&] { set(config, "em.rounds=2.5"); }).find("got \"2.5\""),
            std::string::npos);
  EXPECT_NE(message_of([&] { set(config, "em.variant=px"); }).find("pt, po, pd, ph"),
            std::string::npos);
  EXPECT_NE(message_of([&] { set(config, "model.dropout=nan"); }).find("model.dropout"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              read_toml(config, "[em]\nrounds = \"many\"\n", "f.toml");
            }).find("f.toml:2"),
            std::string::npos);
  EXPECT_NE(message_of([&] { read_toml(config, "[em\n", "f.toml"); }).find("f.toml:1"),
            std::string::npos);
  EXPECT_NE(message_of([&] { set(config, "em.rounds"); }).find("key=value"), std::string::npos);
}

TEST(Config, AMethodOfALaterVersionIsSaidToBeOne) {
  EXPECT_NE(message_of([] { default_config("gtn", "imdb"); }).find("not part of this version"),
            std::string::npos);
}

TEST(Config, UnknownMethodNamesNearMatches) {
  EXPECT_NE(message_of([] { default_config("em-gnc", "x"); }).find("em-gcn"), std::string::npos);
}

TEST(Config, MoleculesOfAnyNameStartFromSettingsOfTheirOwn) {
  const RunConfig unknown = default_config("em-gcn-star", "mine");
  EXPECT_EQ(unknown.train.stop.rule, StopRule::kRmse);
  EXPECT_TRUE(unknown.train.model.embedding);
  const RunConfig toy = default_config("em-gcn-star", "toy-molecules");
  EXPECT_TRUE(toy.train.model.embedding);
  EXPECT_NE(toy.train.model.hidden, unknown.train.model.hidden);
  EXPECT_FALSE(default_config("em-gcn", "mine").train.model.embedding);
}

}  // namespace
}  // namespace emgnn
