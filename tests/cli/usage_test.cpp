// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong with a call, the user gets one line and the status of the contract.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <fstream>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

const std::vector<std::string> kTrain = {"train",    "--dataset", "noisy-relations",
                                         "--method", "em-gcn",    "--quiet"};
const std::vector<std::string> kShort = {"--set", "em.rounds=2", "--set", "em.steps=2"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct BadCall {
  std::vector<std::string> arguments;
  std::string part;  // of the message
};

TEST(Usage, EveryBadCallIsOneLineAndStatusTwo) {
  const Workplace place;
  std::ofstream(place.path() / "wrong-type.toml") << "[em]\nrounds = \"many\"\n";
  std::ofstream(place.path() / "no-key.toml") << "[em]\nround = 3\n";
  std::ofstream(place.path() / "no-toml.toml") << "[em\n";
  const auto train = [](std::vector<std::string> more) { return joined(kTrain, more); };
  const std::vector<BadCall> calls = {
      {{}, "subcommand"},
      {{"trian"}, "did you mean train"},
      {{"data"}, "subcommand"},
      {{"train", "--method", "gcn"}, "--dataset is required"},
      {{"train", "--dataset", "cora"}, "--method is required"},
      {{"train", "--dataset", "noisy-relation", "--method", "gcn"}, "did you mean noisy-relations"},
      {{"train", "--dataset", "cora", "--method", "em-gnc"}, "did you mean em-gcn"},
      {{"train", "--dataset", "esol", "--method", "gcn"},
       "method gcn is for the nodes of a graph, and esol is a table of molecules; use gcn-star"},
      {{"train", "--dataset", "cora", "--method", "em-gcn-star"},
       "method em-gcn-star is for molecules, and cora is a graph; use gcn, em-gcn"},
      {train({"--set", "stop.rule=rmse"}), "stop.rule: classes have no RMSE"},
      {{"predict", "--out", "o.csv"}, "--run is required"},
      {{"predict", "--run", "nowhere"}, "--out is required"},
      {{"predict", "--run", "nowhere", "--out", "o.csv"}, "nowhere: no such folder"},
      {{"predict", "--run", ".", "--out", "o.csv"}, "not the folder of a finished run"},
      {{"predict", "--run", ".", "--out", "o.csv", "--set", "em.rounds=3"},
       "only --set data.smiles"},
      {train({"--set", "em.posterior=mcmc", "--set", "mcmc.burn_in=4000"}), "mcmc.burn_in must be"},
      {{"data", "info", "coar"}, "did you mean cora"},
      {{"data", "info", "noisy-relations", "--set", "em.rounds=2"}, "only --set split"},
      {{"data", "info", "noisy-relations", "--split", "halves"}, "valid: "},
      {{"data", "import", "--nodes", "n.csv", "--out", "o"}, "give the edges with"},
      {{"data", "import", "--edges", "e.csv", "--graphml", "g", "--out", "o"}, "excludes"},
      {train({"--colour"}), "--colour"},
      {train({"--threads", "0"}), "--threads must be 1 to"},
      {train({"--threads", "two"}), "--threads"},
      {train({"--runs", "-3"}), "--runs must be 1 to"},
      {train({"--runs", "0"}), "--runs must be 1 to"},
      {train({"--runs", "9223372036854775807"}), "--runs must be 1 to"},
      {train({"--out", ""}), "the value is empty"},
      {train({"--config", ""}), "the value is empty"},
      {{"train", "--dataset", std::string(5000, 'x'), "--method", "gcn"},
       "no dataset, no directory and no .csv or .sdf file"},
      {train({"--set", "em.eta_step=-5"}), "em.eta_step"},
      {train({"--seed", "-1"}), "--seed must not be negative"},
      {train({"--device", "cuda:0"}), "no CUDA"},
      {train({"--device", "tpu"}), "expected cpu, cuda"},
      {train({"--set", "em.round=3"}), "did you mean em.rounds"},
      {train({"--set", "em.rounds"}), "key=value"},
      {train({"--set", "em.rounds=0"}), "integer, 1 to"},
      {train({"--set", "em.variant=px"}), "one of pt, po, pd, ph"},
      {train({"--set", "split=halves"}), "split \"halves\""},
      {train({"--config", "none.toml"}), "none.toml: No such file"},
      {train({"--config", "wrong-type.toml"}), "wrong-type.toml:2: em.rounds"},
      {train({"--config", "no-key.toml"}), "no-key.toml:2: unknown key \"em.round\""},
      {train({"--config", "no-toml.toml"}), "no-toml.toml:1"},
      {train({"--out", "/dev/null/run"}), "/dev/null/run: cannot create the folder"},
  };
  for (const BadCall& call : calls) expect_one_line(run(place, call.arguments), 2, call.part);
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

TEST(Usage, AFullDiskLeavesNoHalfWrittenFile) {
  const Workplace place;
  const std::filesystem::path disk = place.path() / "disk";
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "needs the right to mount a tmpfs";
  expect_one_line(run(place, joined(kTrain, joined(kShort, {"--out", "disk"}))), 1,
                  "No space left");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(disk)) {
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
  }
  EXPECT_FALSE(std::filesystem::exists(disk / "model.safetensors"));
  umount(disk.c_str());
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
  expect({"data", "list"}, "noisy-relations");
  expect({"predict", "--help"}, "Exit status");
}

}  // namespace
}  // namespace emgnn::cli_test
