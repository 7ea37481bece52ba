// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong with a call, the user gets one line and the status of the contract.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

const std::vector<std::string> kTrain = {"train",    "--dataset", "noisy-relations",
                                         "--method", "em-gcn",    "--quiet"};
const std::vector<std::string> kShort = {"--set", "em.rounds=2", "--set", "em.steps=2"};

struct BadCall {
  std::vector<std::string> arguments;
  std::string part;  // of the message
};

std::vector<std::string> train(const std::vector<std::string>& more) {
  return joined(kTrain, more);
}

void expect_usage_errors(const Workplace& place, const std::vector<BadCall>& calls) {
  for (const BadCall& call : calls) expect_one_line(run(place, call.arguments), 2, call.part);
}

TEST(Usage, AWrongCommandIsOneLineAndStatusTwo) {
  expect_usage_errors(
      Workplace(),
      {{{}, "subcommand"},
       {{"trian"}, "did you mean train"},
       {{"data"}, "subcommand"},
       {{"methods", "gcn"}, "gcn"},
       {{"train", "--method", "gcn"}, "--dataset is required"},
       {{"train", "--dataset", "", "--method", "gcn"}, "--dataset is required"},
       {{"train", "--dataset", "cora"}, "--method is required"},
       {{"predict", "--out", "o.csv"}, "--run is required"},
       {{"predict", "--run", "nowhere"}, "--out is required"},
       {{"predict", "--run", "nowhere", "--out", "o.csv"}, "nowhere: no such folder"},
       {{"predict", "--run", ".", "--out", "o.csv"}, "not the folder of a finished run"},
       {{"evaluate"}, "--run is required"},
       {{"evaluate", "--run", ""}, "the value is empty"},
       {{"evaluate", "--run", "nowhere"}, "nowhere: no such folder"},
       {{"evaluate", "--run", "."}, "not the folder of a finished run"},
       {{"evaluate", "--run", ".", "--out", "o.csv"}, "--out"},
       {{"data", "import", "--nodes", "n.csv", "--out", "o"}, "give the edges with"},
       {{"data", "import", "--edges", "e.csv", "--graphml", "g", "--out", "o"}, "excludes"}});
}

TEST(Usage, AWrongNameIsOneLineAndStatusTwo) {
  expect_usage_errors(
      Workplace(),
      {{{"train", "--dataset", "noisy-relation", "--method", "gcn"},
        "did you mean noisy-relations"},
       {{"train", "--dataset", std::string(5000, 'x'), "--method", "gcn"},
        "no dataset, no directory and no .csv or .sdf file"},
       {{"train", "--dataset", "cora", "--method", "em-gnc"},
        "unknown method \"em-gnc\"; did you mean em-gat, em-gcn"},
       {{"train", "--dataset", "esol", "--method", "acm-gcn+"},
        "method acm-gcn+ is for the nodes of a graph, and esol is a table of molecules; use gcn,"},
       {{"train", "--dataset", "cora", "--method", "em-gcn-star"},
        "method em-gcn-star is for molecules, and cora is a graph; use gcn, em-gcn"},
       {{"data", "info", "coar"}, "did you mean cora"},
       {{"data", "info", ""}, "no dataset, no directory"},
       {{"data", "fetch", ""}, "no dataset, no directory"}});
}

TEST(Usage, AWrongOptionIsOneLineAndStatusTwo) {
  const char* const no_cuda = "--device: this build has no CUDA";
  expect_usage_errors(
      Workplace(), {{train({"--colour"}), "--colour"},
                    {train({"--dataset", "cora"}), "--dataset"},
                    {train({"--threads", "0"}), "--threads must be 1 to"},
                    {train({"--threads", "two"}), "--threads"},
                    {{"evaluate", "--run", ".", "--threads", "0"}, "--threads must be 1 to"},
                    {train({"--runs", "-3"}), "--runs must be 1 to"},
                    {train({"--runs", "0"}), "--runs must be 1 to"},
                    {train({"--runs", "9223372036854775807"}), "--runs must be 1 to"},
                    {train({"--seed", "-1"}), "--seed: expected a whole number from 0 to"},
                    {{"evaluate", "--run", ".", "--seed", "-1"}, "expected a whole number from 0"},
                    {{"evaluate", "--run", ".", "--seed", "99999999999999999999"},
                     "expected a whole number from 0 to 9223372036854775807, found 9999"},
                    {{"data", "export", "cora", "--seed", "1.5", "--out", "o"},
                     "expected a whole number from 0"},
                    {train({"--out", ""}), "the value is empty"},
                    {train({"--out", "/dev/null/run"}), "/dev/null/run: cannot create the folder"},
                    {train({"--device", "cuda"}), no_cuda},
                    {train({"--device", "cuda:0"}), no_cuda},
                    {train({"--device", "tpu"}), "--device: the device must be cpu or cuda[:i]"},
                    {{"predict", "--run", ".", "--out", "o.csv", "--device", "cuda"}, no_cuda},
                    {{"evaluate", "--run", ".", "--device", "cuda"}, no_cuda},
                    {{"reproduce", "runtime", "--device", "cuda"}, no_cuda}});
}

TEST(Usage, AWrongSettingIsOneLineAndStatusTwo) {
  expect_usage_errors(
      Workplace(),
      {{train({"--set"}), "--set"},
       {train({"--set", ""}), "key=value"},
       {train({"--set", "em.rounds"}), "key=value"},
       {train({"--set", "=3"}), "key=value"},
       {train({"--set", "em.round=3"}), "did you mean em.rounds"},
       {train({"--set", "em.rounds= "}), "em.rounds: expected integer"},
       {train({"--set", "em.rounds=0"}), "integer, 1 to"},
       {train({"--set", "em.eta=nan"}), "em.eta: expected number"},
       {train({"--set", "em.eta_step=-5"}), "em.eta_step"},
       {train({"--set", "em.variant=px"}), "one of pt, po, pd, ph"},
       {train({"--set", "em.posterior=mcmc", "--set", "mcmc.burn_in=4000"}),
        "mcmc.burn_in must be"},
       {train({"--set", "split=halves"}), "split \"halves\""},
       {train({"--set", "task=colours"}), "colours"},
       {train({"--set", "fit.epochs=3"}), "unknown key \"fit.epochs\" for em-gcn"},
       {train({"--set", "space.grid=5"}), "space.grid is not read by em-gcn on this data"},
       {train({"--set", "task.loss=squared"}), "task.loss is not read by em-gcn on this data"},
       {train({"--set", "stop.rule=rmse"}),
        "stop.rule: expected one of loss, never, loss-and-accuracy, micro_f1, macro_f1,"},
       {{"predict", "--run", ".", "--out", "o.csv", "--set", "em.rounds=3"},
        "only --set data.smiles"},
       {{"data", "info", "noisy-relations", "--set", "em.rounds=2"}, "only --set split"},
       {{"data", "info", "noisy-relations", "--split", "halves"}, "valid: "}});
}

// LibTorch would take half a second and 150 MB.
TEST(Usage, AWrongNameOfASettingIsFoundWithoutLibTorch) {
  const Workplace place;
  write(place, "key.toml", "[em]\nround = 3\n");
  const std::vector<BadCall> calls = {
      {train({"--set", "nosuch=1"}), "unknown key \"nosuch\" for em-gcn; see emgnn train"},
      {train({"--set", "em.round=3"}), "did you mean em.rounds"},
      {train({"--set", "fit.epochs=3"}), "for em-gcn; it is read by gcn, gat, "},
      {train({"--set", "em.rounds"}), "key=value"},
      {train({"--config", "key.toml"}), "key.toml:2: unknown key \"em.round\""},
      {train({"--help-config", "--set", "nosuch=1"}), "unknown key \"nosuch\""}};
  for (const BadCall& call : calls) {
    const Outcome outcome = run(place, call.arguments);
    expect_one_line(outcome, 2, call.part);
    // The system counts what this test held when it started the program, too.
    EXPECT_LT(outcome.max_rss_kb, 60'000) << call.part;
  }
}

TEST(Usage, AWrongConfigurationFileIsOneLineWithFileAndLine) {
  const Workplace place;
  const auto config = [&](const std::string& file, const std::string& text) {
    write(place, file, text);
    return train({"--config", file});
  };
  expect_usage_errors(
      place, {{train({"--config", ""}), "the value is empty"},
              {train({"--config", "."}), "--config: .: not a regular file"},
              {train({"--config", "none.toml"}), "none.toml: No such file"},
              {config("type.toml", "[em]\nrounds = \"many\"\n"), "type.toml:2: em.rounds"},
              {config("key.toml", "[em]\nround = 3\n"), "key.toml:2: unknown key \"em.round\""},
              {config("toml.toml", "[em\n"), "toml.toml:1"},
              {config("array.toml", "[[em]]\nrounds = 3\n"), "array.toml:1: unknown key \"em\""},
              {config("twice.toml", "[em]\nrounds = 2\nrounds = 3\n"), "twice.toml:3: "},
              {config("large.toml", "em.rounds = 99999999999999999999\n"), "large.toml:1: "},
              {config("binary.toml", "\xff\xfe"), "binary.toml:1: "},
              {config("nan.toml", "[em]\neta = nan\n"), "nan.toml:2: em.eta: expected number"},
              {config("method.toml", "split = \"\"\n[method.gcm.fit]\nepochs = 3\n"),
               "method.toml:2: unknown method \"gcm\"; did you mean"},
              {config("table.toml", "[method]\ngcn = 3\n"),
               "table.toml:2: method.gcn: expected a table"}});
  // Settings for another method are nothing wrong.
  EXPECT_EQ(
      run(place, joined(config("other.toml", "[method.gcn.fit]\nepochs = 3\n"), kShort)).status, 0);
}

TEST(Usage, MissingDataIsStatusThree) {
  const Workplace place;
  expect_one_line(
      run(place, {"train", "--dataset", "cora", "--method", "gcn", "--data-dir", "nowhere"}), 3,
      "nowhere/planetoid");
}

TEST(Usage, ADamagedCheckpointIsStatusThree) {
  const Workplace place;
  const std::vector<std::string> call = joined(kTrain, joined(kShort, {"--out", "run"}));
  ASSERT_EQ(run(place, call).status, 0);
  std::filesystem::remove(place.path() / "run/results.json");
  std::ofstream(place.path() / "run/checkpoint/state.safetensors") << "not a checkpoint";
  expect_one_line(run(place, call), 3, "run/checkpoint/state.safetensors: damaged");
}

// A file of a run folder as a crash, a full disk or an editor might leave it.
TEST(Usage, ADamagedRunFolderIsStatusThreeAndNamesTheFile) {
  const Workplace place;
  const std::vector<std::string> call = joined(kTrain, joined(kShort, {"--out", "run"}));
  ASSERT_EQ(run(place, call).status, 0);
  for (const char* file : {"manifest.json", "config.toml", "results.json", "model.safetensors",
                           "checkpoint/state.safetensors"}) {
    const std::filesystem::path path = place.path() / "run" / file;
    const std::string whole = read(path);
    const std::string results = read(place.path() / "run/results.json");
    ASSERT_GT(whole.size(), 20U) << file;
    const bool is_checkpoint = path.parent_path().filename() == "checkpoint";
    const bool is_model = path.filename() == "model.safetensors";
    // Not between two lines: half of a list of settings is one, too.
    const size_t half = whole.size() / 2, key = whole.find(" = ", half);
    const size_t middle = (key == std::string::npos ? half : key) + 2;
    for (const std::string& left :
         {std::string(), whole.substr(0, middle), std::string(200, '\xfe'), std::string("{}")}) {
      // A finished run needs its checkpoint no more.
      if (is_checkpoint) std::filesystem::remove(place.path() / "run/results.json");
      write(place, std::string("run/") + file, left);
      const std::vector<std::string> evaluate = {"evaluate", "--run", "run", "--quiet"};
      const std::string part = std::string("run/") + file + ":";
      expect_one_line(run(place, is_model ? evaluate : call), 3, part);
      write(place, std::string("run/") + file, whole);
    }
    write(place, "run/results.json", results);
  }
  EXPECT_EQ(run(place, call).status, 0);
}

TEST(Usage, AFolderOfAnotherRunIsRefusedWithTheDifference) {
  const Workplace place;
  const std::vector<std::string> call =
      joined(kTrain, joined(kShort, {"--set", "em.eta=3", "--out", "run"}));
  ASSERT_EQ(run(place, call).status, 0);
  expect_one_line(run(place, joined(call, {"--set", "em.eta=5"})), 2,
                  "em.eta is 3 there and 5 here");
  expect_one_line(run(place, joined(call, {"--seed", "1"})), 2, "seed is 0 there and 1 here");
  expect_one_line(run(place, joined(call, {"--runs", "2"})), 2, "runs is");
}

TEST(Usage, OutputThatDoesNotArriveIsAnError) {
  const Workplace place;
  const std::vector<std::string> call = joined(kTrain, kShort);
  expect_one_line(run(place, call, "/dev/full"), 1,
                  "cannot write to standard output: No space left");
  expect_one_line(run(place, call, "-"), 1, "cannot write to standard output");
  expect_one_line(run(place, {"--help"}, "/dev/full"), 1, "cannot write to standard output");
}

TEST(Usage, HelpVersionAndListsGoToStandardOutput) {
  const Workplace place;
  const auto expect = [&](const std::vector<std::string>& arguments, const std::string& part) {
    const Outcome outcome = run(place, arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
  };
  expect({"--help"}, "emgnn train --dataset");
  expect({"--version"}, "emgnn 0.");
  expect({"train", "--help"}, "Exit status");
  expect({"train", "--help-config"}, "em.rounds = ");
  expect({"train", "--help-config"}, "  (default)\n");
  expect({"train", "--help-config"}, "  (configs/datasets/noisy-relations.toml)\n");
  expect({"train", "--help-config", "--set", "em.rounds=7"}, "em.rounds = 7  (--set)\n");
  expect({"data", "list"}, "noisy-relations");
  expect({"predict", "--help"}, "Exit status");
}

TEST(Usage, EveryCommandExplainsItself) {
  const Workplace place;
  const std::vector<std::vector<std::string>> commands = {
      {"train"},         {"predict"},        {"evaluate"},      {"reproduce"},
      {"methods"},       {"data"},           {"data", "list"},  {"data", "info"},
      {"data", "fetch"}, {"data", "import"}, {"data", "verify"}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome outcome = run(place, joined(command, {"--help"}));
    EXPECT_EQ(outcome.status, 0) << command.back();
    EXPECT_EQ(outcome.err, "") << command.back();
    EXPECT_NE(outcome.out.find("Usage: emgnn"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(command.back()), std::string::npos) << outcome.out;
  }
}

TEST(Usage, MethodsSaysWhichDataEachIsFor) {
  const Workplace place;
  const Outcome outcome = run(place, {"methods"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* line : {"\nem-gcn +graphs, molecules  ", "\nacm-gcn\\+ +graphs  ",
                           "\nem-gcn-star +molecules  ", "\nlabel-propagation +graphs  "})
    EXPECT_TRUE(std::regex_search("\n" + outcome.out, std::regex(line))) << outcome.out;
}

// LibTorch takes half a second to load: only what trains or predicts waits for it.
TEST(Usage, TheProgramItselfNeedsNoLibTorch) {
  const Workplace place;
  const std::string out = (place.path() / "needed").string();
  if (std::system(("ldd " + std::string(kProgram) + " > '" + out + "' 2> /dev/null").c_str()) != 0)
    GTEST_SKIP() << "skipped: ldd is not installed";
  const std::string needed = read(out);
  EXPECT_NE(needed.find("libc.so"), std::string::npos) << needed;
  // "c10" alone may be part of an address.
  for (const char* library : {"torch", "libc10", "libRDKit", "libopenblas"})
    EXPECT_EQ(needed.find(library), std::string::npos) << needed;
}

}  // namespace
}  // namespace emgnn::cli_test
