// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/config.h>

#include <gtest/gtest.h>

#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::Workplace;

ConfigEntry entry(const RunConfig& config, const std::string& key) {
  for (const ConfigEntry& found : config.entries())
    if (found.key == key) return found;
  throw UsageError("no key " + key);
}

std::string value(const RunConfig& config, const std::string& key) {
  return entry(config, key).value;
}

bool reads(const RunConfig& config, const std::string& key) {
  return config.values().contains(key);
}

std::string error_of(const std::function<void()>& f) { return message_of<UsageError>(f); }

TEST(Config, LaterLayersWinAndAreNamed) {
  RunConfig config("em-gcn", "cora");
  EXPECT_EQ(entry(config, "em.variant").layer, "default");
  EXPECT_EQ(entry(config, "model.hidden").layer, "configs/groups/citation.toml");
  EXPECT_EQ(entry(config, "space.cosine_threshold").layer, "configs/datasets/cora.toml");
  EXPECT_EQ(value(config, "space.cosine_threshold"), "0.5");  // 0.6 in the group
  config.read_toml("[space]\ncosine_threshold = 0.75\n[em]\nvariant = 'po'\n", "mine.toml");
  EXPECT_EQ(value(config, "space.cosine_threshold"), "0.75");
  EXPECT_EQ(entry(config, "space.cosine_threshold").layer, "mine.toml");
  EXPECT_EQ(entry(config, "em.variant").layer, "mine.toml");
  config.set("em.variant=ph", "--set");
  EXPECT_EQ(value(config, "em.variant"), "ph");
  EXPECT_EQ(entry(config, "em.variant").layer, "--set");
}

TEST(Config, TheTableOfTheMethodWinsWithinAFileWhereverItStands) {
  const std::string file =
      "[method.em-gcn.em]\nrounds = 7\n[method.gcn.model]\nhidden = 5\n"
      "[em]\nrounds = 3\nsteps = 4\n";
  RunConfig config("em-gcn", "noisy-relations");
  config.read_toml(file, "f.toml");
  EXPECT_EQ(value(config, "em.rounds"), "7");
  EXPECT_EQ(value(config, "em.steps"), "4");
  EXPECT_EQ(value(config, "model.hidden"), "32");  // another method's is not read
  config.read_toml("[em]\nrounds = 2\n", "g.toml");
  EXPECT_EQ(value(config, "em.rounds"), "2");  // a later file wins over an earlier table
}

TEST(Config, RequestsAreResolvedInTheOrderOfTheirLayers) {
  const RunConfig config = resolve(
      {.dataset = "noisy-relations",
       .method = "gcn",
       .layers = {
           {.name = "a.toml", .toml = "[fit]\nepochs = 9\n[model]\nhidden = 3", .assignments = {}},
           {.name = "--set", .toml = "", .assignments = {"fit.epochs=8", "fit.epochs=7"}}}});
  EXPECT_EQ(value(config, "fit.epochs"), "7");
  EXPECT_EQ(value(config, "model.hidden"), "3");
}

TEST(Config, ShippedSettingsAreThose) {
  const RunConfig cora("em-gcn", "cora", "published");
  for (const auto& [key, expected] :
       std::map<std::string, std::string>{{"data.normalise_features", "true"},
                                          {"space.normalisation", "row"},
                                          {"model.layers", "2"},
                                          {"model.hidden", "64"},
                                          {"model.input_dropout", "0.8"},
                                          {"model.bias", "true"},
                                          {"optim.decay", "all"},
                                          {"em.rounds", "30"},
                                          {"em.steps", "10"},
                                          {"em.warmup", "0"},
                                          {"agreement.weight", "2"},
                                          {"stop.rule", "loss"},
                                          {"stop.every", "5"}})
    EXPECT_EQ(value(cora, key), expected) << key;
  const RunConfig kipf("gcn", "cora");
  EXPECT_EQ(value(kipf, "model.hidden"), "16");
  EXPECT_EQ(value(kipf, "optim.decay"), "first-layer");
  EXPECT_EQ(value(kipf, "fit.epochs"), "300");
  EXPECT_EQ(value(kipf, "stop.rule"), "never");
  EXPECT_EQ(value(RunConfig("em-gcn", "imdb"), "space.total"), "2");
  EXPECT_EQ(value(RunConfig("em-gcn", "imdb"), "em.draws"), "8");
  EXPECT_EQ(value(RunConfig("em-gcn", "acm"), "stop.patience"), "30");
  EXPECT_EQ(value(RunConfig("gcn", "acm"), "stop.patience"), "150");
  EXPECT_EQ(value(RunConfig("em-acm", "texas", "published"), "space.max_drop"), "0.05");
  EXPECT_EQ(value(RunConfig("em-gcn-star", "esol"), "em.steps"), "14");
  EXPECT_EQ(value(RunConfig("em-gcn-star", "esol"), "optim.weight_decay"), "0");
}

TEST(Config, MoleculesOfAnyNameStartFromSettingsOfTheirOwn) {
  const Workplace place;
  place.write("mine.csv", "smiles,y\nCC,1\n");
  place.write("mine/edges.csv", "source,target\na,b\n");
  const RunConfig molecules("em-gcn-star", (place / "mine.csv").string());
  EXPECT_EQ(entry(molecules, "model.hidden").layer, "configs/groups/molecules.toml");
  EXPECT_EQ(value(molecules, "model.embedding"), "true");
  EXPECT_NE(value(RunConfig("em-gcn-star", "toy-molecules"), "model.hidden"),
            value(molecules, "model.hidden"));
  const RunConfig graph("em-gcn", (place / "mine").string(), "published");
  for (const ConfigEntry& found : graph.entries()) {
    if (found.key == "em.recipe" || found.key == "preset") continue;  // defaults of unknown graphs
    EXPECT_EQ(found.layer, "default") << found.key;
  }
}

TEST(Config, BondsNeedNoCoordinates) {
  EXPECT_EQ(value(RunConfig("gcn-star", "esol"), "data.conformers"), "0");
  EXPECT_EQ(value(RunConfig("em-gcn-star", "esol"), "data.conformers"), "1");
}

TEST(Config, ARecipeChangesSettingsOfTheMethodsThatItIsFor) {
  EXPECT_EQ(value(RunConfig("em-gcn", "dblp"), "em.recipe"), "averaged");
  EXPECT_EQ(value(RunConfig("em-gcn", "dblp"), "ensemble"), "5");
  EXPECT_EQ(value(RunConfig("em-gcn", "dblp"), "calibrate"), "validation");
  EXPECT_EQ(value(RunConfig("em-gcn", "dblp"), "em.draws"), "8");
  EXPECT_EQ(value(RunConfig("em-gcn", "dblp", "published"), "ensemble"), "1");
  EXPECT_EQ(value(RunConfig("em-gcn", "dblp", "published"), "em.draws"), "4");
  EXPECT_EQ(value(RunConfig("em-acm", "texas"), "ensemble"), "5");
  EXPECT_EQ(value(RunConfig("em-acm", "texas"), "space.max_drop"), "0.2");
  EXPECT_EQ(value(RunConfig("em-gcn", "texas"), "em.evidence"), "last-layer");
  // Its network has no last layer to fit again.
  EXPECT_EQ(value(RunConfig("em-acm", "texas", "held-out"), "em.evidence"), "cross-fit");
  EXPECT_EQ(value(RunConfig("em-acm", "texas", "held-out"), "ensemble"), "1");
}

TEST(Config, AStoredModelIsCalibratedOnlyIfItSaysSo) {
  RunConfig config("em-gcn", "dblp");
  config.read_stored({{"ensemble", "5"}});
  EXPECT_EQ(value(config, "calibrate"), "none");
  config.read_stored({{"calibrate", "validation"}});
  EXPECT_EQ(value(config, "calibrate"), "validation");
}

TEST(Config, AGraphThatIsNotKnownIsInDoubtByDefault) {
  const Workplace place;
  place.write("mine/edges.csv", "source,target\na,b\n");
  const RunConfig graph("em-gcn", (place / "mine").string());
  EXPECT_EQ(value(graph, "em.recipe"), "held-out");
  EXPECT_EQ(value(graph, "space.views"), "auto");
  EXPECT_EQ(value(graph, "em.evidence"), "cross-fit");
}

TEST(Config, UnknownKeysNameNearMatchesAndLines) {
  RunConfig config("em-gcn", "noisy-relations");
  const auto set = [&](const char* text) { return error_of([&] { config.set(text, "--set"); }); };
  EMGNN_EXPECT_PART(set("em.round=3"),
                    "unknown key \"em.round\" for em-gcn; did you mean em.rounds");
  EMGNN_EXPECT_PART(set("rounds=3"), "em.rounds");
  EMGNN_EXPECT_PART(set("zzzzzzzz.zzzzzzzz=3"), "see emgnn train --help-config");
  const auto read = [&](const char* text) {
    return error_of([&] { config.read_toml(text, "f.toml"); });
  };
  EMGNN_EXPECT_PART(read("# first\n[em]\nstepz = 3\n"), "f.toml:3: unknown key \"em.stepz\"");
  EMGNN_EXPECT_PART(read("\n[method.em-gcn.em]\nstepz = 3\n"), "f.toml:3: ");
  EXPECT_EQ(read("[method.gcn.em]\nstepz = 3\n"), "no error");
  EMGNN_EXPECT_PART(read("\n[method.gnc.em]\nsteps = 3\n"), "f.toml:2: unknown method \"gnc\"");
  EMGNN_EXPECT_PART(read("method.gcn = 3\n"), "f.toml:1: method.gcn: expected a table of settings");
}

TEST(Config, KeysThatNothingReadsAreRefused) {
  const auto refused = [](const char* method, const char* dataset, const char* setting) {
    return error_of([&] { RunConfig(method, dataset).set(setting, "--set"); });
  };
  // Known at once: a part that the method or the kind of data does not have.
  EMGNN_EXPECT_PART(refused("em-gcn", "cora", "model.head=8"), "unknown key \"model.head\"");
  EMGNN_EXPECT_PART(refused("gcn", "cora", "em.rounds=8"), "unknown key \"em.rounds\" for gcn");
  EMGNN_EXPECT_PART(refused("em-gcn", "cora", "fit.epochs=8"), "unknown key");
  EMGNN_EXPECT_PART(refused("em-gcn-star", "esol", "perturb=8"), "unknown key");
  EMGNN_EXPECT_PART(refused("mlp", "cora", "space.normalisation=row"), "unknown key");
  EXPECT_EQ(refused("gcn", "esol", "model.head=8"), "no error");
}

TEST(Config, WhatTheDataTurnsOutToBeDecidesWhichKeysAreRead) {
  const DataFacts two{DataKind::kGraph, LabelKind::kClasses, 2};
  const DataFacts one{DataKind::kGraph, LabelKind::kClasses, 1};
  const DataFacts values{DataKind::kGraph, LabelKind::kValues, 2};
  const auto narrowed = [](const char* setting, const DataFacts& facts) {
    RunConfig config("em-gcn", "noisy-relations");
    config.set(setting, "--set");
    return error_of([&] { config.narrow(facts); });
  };
  EXPECT_EQ(narrowed("space.max_drop=0.1", two),
            "--set: space.max_drop is not read by em-gcn on this data");
  EXPECT_EQ(narrowed("space.max_drop=0.1", one), "no error");
  EXPECT_EQ(narrowed("space.step=0.1", two), "no error");
  EMGNN_EXPECT_PART(narrowed("space.step=0.1", one), "space.step");
  EMGNN_EXPECT_PART(narrowed("agreement.weight=1", values), "agreement.weight");
  EMGNN_EXPECT_PART(narrowed("task.loss=squared", one), "task.loss");
  EMGNN_EXPECT_PART(narrowed("task.class_weights=none", values), "task.class_weights");
  // Shipped settings for other data are no mistake of the user.
  RunConfig shipped("em-gcn", "cora");
  EXPECT_TRUE(reads(shipped, "space.cosine_threshold"));
  shipped.narrow(two);
  EXPECT_FALSE(reads(shipped, "space.cosine_threshold"));
}

TEST(Config, WrongTypesAndBoundsAreNamed) {
  RunConfig config("em-gcn", "noisy-relations");
  const auto set = [&](const char* text) { return error_of([&] { config.set(text, "--set"); }); };
  EMGNN_EXPECT_PART(set("em.rounds=0"), "em.rounds: expected integer");
  EMGNN_EXPECT_PART(set("em.rounds=2.5"), "got \"2.5\"");
  EMGNN_EXPECT_PART(set("em.variant=px"), "pt, po, pd, ph");
  EMGNN_EXPECT_PART(set("model.dropout=nan"), "model.dropout");
  EMGNN_EXPECT_PART(set("em.rounds"), "--set expects key=value");
  EMGNN_EXPECT_PART(set("=3"), "--set expects key=value");
  const auto read = [&](const std::string& text) {
    return error_of([&] { config.read_toml(text, "f.toml"); });
  };
  EMGNN_EXPECT_PART(read("[em]\nrounds = \"3\"\n"),
                    "f.toml:2: em.rounds: expected integer, 1 to 1000000000, got a TOML string");
  EMGNN_EXPECT_PART(read("em.rounds = 3.0\n"), "got a TOML floating-point");
  EMGNN_EXPECT_PART(read("em.rounds = [3]\n"), "got a TOML array");
  EMGNN_EXPECT_PART(read("em.variant = 1\n"), "got a TOML integer");
  EMGNN_EXPECT_PART(read("em.variant = 1979-05-27\n"), "got a TOML date");
  EMGNN_EXPECT_PART(read("data.normalise_features = \"true\"\n"), "got a TOML string");
  EMGNN_EXPECT_PART(read("[em]\n\nrounds = 0\n"), "f.toml:3: em.rounds: expected integer");
  EMGNN_EXPECT_PART(read("[em\n"), "f.toml:1: ");
  EXPECT_EQ(read("em.eta = 3\n"), "no error");  // a whole number is a number too
  EXPECT_EQ(value(config, "em.eta"), "3");
}

TEST(Config, ARecipeIsASetOfSettingsThatTheUserMayStillChange) {
  const RunConfig published("em-gcn", "cora", "published"), held_out("em-gcn", "cora", "held-out");
  EXPECT_EQ(value(published, "em.evidence"), "train");
  EXPECT_EQ(value(published, "space.views"), "given");
  EXPECT_EQ(value(held_out, "em.evidence"), "cross-fit");
  EXPECT_EQ(value(held_out, "space.views"), "reliable, knn:5, two-hop");  // configs/groups/citation
  EXPECT_EQ(value(held_out, "space.normalisation"), "symmetric");
  EXPECT_EQ(value(held_out, "optim.learning_rate"), "0.01");  // the group's, for all recipes
  EXPECT_EQ(value(held_out, "agreement.weight"), "2");        // the dataset's, for this recipe
  // The recipe's own, over the dataset's 2 for another.
  EXPECT_EQ(value(RunConfig("em-gcn", "pubmed", "held-out"), "agreement.weight"), "0");
  for (const char* shipped_so : {"flickr", "cora", "texas"})
    EXPECT_EQ(value(RunConfig("em-gcn", shipped_so), "em.recipe"), "held-out");
  EXPECT_EQ(value(RunConfig("em-gat", "cora"), "em.recipe"), "published");
  const auto resolved = [](std::vector<std::string> set) {
    return resolve({"cora", "em-gcn", {{.name = "--set", .toml = "", .assignments = set}}});
  };
  // The order of the assignments does not matter.
  for (const auto& set : {std::vector<std::string>{"em.folds=3", "em.recipe=held-out"},
                          std::vector<std::string>{"em.recipe=held-out", "em.folds=3"}}) {
    EXPECT_EQ(value(resolved(set), "em.folds"), "3");
    EXPECT_EQ(value(resolved(set), "em.posterior"), "stack");
  }
  EXPECT_EQ(value(resolved({"em.posterior=prior", "em.recipe=held-out"}), "em.posterior"), "prior");
  EXPECT_THROW(resolved({"em.recipe=other"}), UsageError);
  RunConfig config("em-gcn", "cora");
  EXPECT_THROW(config.read_toml("[recipe.held-out.em]\nfolds = 3\n", "mine.toml"), UsageError);
}

TEST(Config, ResolvedTomlReadsBackToTheSameConfig) {
  RunConfig config("em-gcn", "cora");
  for (const char* setting :
       {"em.variant=po", "em.eta=7.25", "em.evidence=train+validation", "split=random:0.8/0.1/0.1",
        "model.bias=false", "optim.weight_decay=5e-4", "optim.learning_rate=1e-7",
        "em.eta_step=-2"})
    config.set(setting, "--set");
  RunConfig again("em-gcn", "cora");
  again.read_toml(config.to_toml(), "config.toml");
  EXPECT_EQ(again.values(), config.values());
  EXPECT_EQ(again.to_toml(), config.to_toml());
  EXPECT_EQ(again.data.split, "random:0.8/0.1/0.1");
}

TEST(Config, AnyTextSurvivesTheResolvedToml) {
  RunConfig config("em-gcn-star", "esol");
  const std::string name = "log \"D\" \\ a\nb\tc \x01 é";
  config.set("data.target=" + name, "--set");
  RunConfig again("em-gcn-star", "esol");
  again.read_toml(config.to_toml(), "config.toml");
  EXPECT_EQ(again.data.molecules.columns.target, name);
}

TEST(Config, EveryEntryCanBeSetFromItsOwnTextAndIsExplained) {
  for (const MethodInfo& method : methods()) {
    RunConfig config(method.name, method.graphs ? "cora" : "esol");
    for (const ConfigEntry& found : config.entries()) {
      EXPECT_NO_THROW(config.set(found.key + "=" + found.value, "--set")) << found.key;
      EXPECT_FALSE(found.help.empty()) << found.key;
      EXPECT_FALSE(found.accepted.empty()) << found.key;
    }
  }
}

TEST(Config, KeysOfAnEarlierVersionThatAreGoneAreLeftOut) {
  RunConfig config("em-gcn", "noisy-relations");
  config.read_stored({{"em.rounds", "7"}, {"gone.key", "x"}, {"model.head", "64"}});
  EXPECT_EQ(value(config, "em.rounds"), "7");
  EXPECT_EQ(entry(config, "em.rounds").layer, "the stored run");
  EXPECT_FALSE(reads(config, "gone.key"));
  // They are no user's settings: nothing to complain about.
  config.read_stored({{"space.max_drop", "0.1"}});
  EXPECT_NO_THROW(config.narrow({DataKind::kGraph, LabelKind::kClasses, 2}));
}

TEST(Config, MethodsThatAreNotThereAreNamed) {
  const auto made = [](const char* method, const char* dataset) {
    return error_of([&] { RunConfig(method, dataset); });
  };
  EMGNN_EXPECT_PART(made("em-gnc", "cora"), "em-gcn");
  EMGNN_EXPECT_PART(made("em-acm", "esol"), "esol is a table of molecules; use gcn, ");
  EMGNN_EXPECT_PART(made("gcn-star", "cora"), "cora is a graph; use gcn, ");
  EMGNN_EXPECT_PART(made("gcn", "no-such-data"), "no-such-data");
}

}  // namespace
}  // namespace emgnn
