// SPDX-License-Identifier: Apache-2.0
// emgnn train --resume: whenever a run is killed, its folder alone is enough to end it with the same
// bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <thread>

#include "cli/program.h"
#include "cli/small_molecules.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

Words set(const Words& settings) {
  Words out;
  for (const std::string& setting : settings) out = joined(out, {"--set", setting});
  return out;
}

Words training(const std::string& method, const Words& settings) {
  return joined({"train", "--dataset", "noisy-relations", "--method", method, "--quiet", "--out",
                 "run", "--threads", "1", "--checkpoint-every", "0.02"},
                set(joined({"model.hidden=8"}, settings)));
}

const Words kResume = {"train", "--resume", "run", "--quiet", "--checkpoint-every", "0.02"};

// Of results and manifests: what is true of a process and not of the run.
std::string timeless_text(const std::string& text) {
  static const std::regex times("\"(seconds|prepare_seconds|peak_rss_mb|threads)\": [-+.0-9e]+");
  return std::regex_replace(text, times, "");
}

// Every file of a finished run but its checkpoint, with its content.
std::map<std::string, std::string> files_of(const Workplace& place) {
  std::map<std::string, std::string> out;
  const fs::path folder = place.path() / "run";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name.ends_with("checkpoint/state.safetensors")) continue;
    std::string text = read(entry.path());
    // Runs remember where their data is.
    const std::string here = place.path().string();
    for (size_t at = 0; (at = text.find(here)) != std::string::npos;) text.erase(at, here.size());
    out[name] = name.ends_with(".json") ? timeless_text(text) : text;
  }
  return out;
}

void expect_same_files(const Workplace& place, const std::map<std::string, std::string>& want) {
  const auto got = files_of(place);
  std::set<std::string> names, expected;
  for (const auto& [name, text] : got) names.insert(name);
  for (const auto& [name, text] : want) expected.insert(name);
  EXPECT_EQ(names, expected);
  for (const auto& [name, text] : want) {
    if (got.contains(name)) {
      EXPECT_EQ(got.at(name) == text, true) << name;
    }
  }
}

struct Killed {
  Words call;
  std::string table;  // of molecules; empty: none
};

void prepare(const Workplace& place, const Killed& of) {
  if (!of.table.empty()) write(place, "mine.csv", of.table);
}

// Kills the training four times, at moments of its own choice; each time the folder resumes.
void expect_killable(const Killed& of, unsigned seed) {
  constexpr int kKills = 4;
  const Workplace whole;
  prepare(whole, of);
  const Clock::time_point begin = Clock::now();
  const Outcome outcome = run(whole, of.call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto want = files_of(whole);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> moment(0.0, 0.9 * seconds);
  auto place = std::make_unique<Workplace>();
  prepare(*place, of);
  for (int kills = 0; kills < kKills;) {
    const fs::path folder = place->path() / "run";
    const bool begun = fs::exists(folder / "manifest.json");
    Program program(*place, begun ? kResume : of.call);
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
    program.send(SIGKILL);
    const int status = program.wait().status;
    if (status == 128 + SIGKILL) {
      ++kills;
      continue;
    }
    ASSERT_EQ(status, 0);  // it was quicker
    expect_same_files(*place, want);
    place = std::make_unique<Workplace>();
    prepare(*place, of);
  }
  const bool begun = fs::exists(place->path() / "run/manifest.json");
  const Outcome last = run(*place, begun ? kResume : of.call);
  ASSERT_EQ(last.status, 0) << last.err;
  expect_same_files(*place, want);
}

TEST(Resume, AnEnsembleKilledAtAnyMomentEndsWithTheSameBytes) {
  expect_killable({training("gcn", {"stop.rule=never", "fit.epochs=60", "ensemble=3"}), ""}, 1);
}

TEST(Resume, ASampledPosteriorKilledAtAnyMomentEndsWithTheSameBytes) {
  expect_killable({training("em-gcn", {"stop.rule=never", "em.posterior=mcmc", "mcmc.steps=2000",
                                       "mcmc.burn_in=100", "em.rounds=5", "em.steps=8"}),
                   ""},
                  2);
}

TEST(Resume, CrossFittedNetworksKilledAtAnyMomentEndWithTheSameBytes) {
  expect_killable({training("em-acm", {"stop.rule=never", "em.recipe=held-out",
                                       "space.mixing=degree", "em.rounds=3", "em.steps=6"}),
                   ""},
                  3);
}

TEST(Resume, ABlockModelKilledAtAnyMomentEndsWithTheSameBytes) {
  expect_killable({training("bgcn", {"fit.epochs=30", "bgcn.warmup=10", "bgcn.burn_in=5",
                                     "bgcn.random_iterations=120", "bgcn.iterations=60"}),
                   ""},
                  4);
}

TEST(Resume, MoleculesKilledAtAnyMomentEndWithTheSameBytes) {
  expect_killable({small_training({"--out", "run", "--threads", "1", "--checkpoint-every", "0.02"}),
                   small_table()},
                  5);
}

// ---- what the command says ----

const Words kSeveral =
    joined({"train", "--dataset", "noisy-relations", "--method", "em-gcn", "--json", "--runs", "2",
            "--seed", "3", "--hide-test", "--out", "run"},
           set({"em.rounds=6", "em.steps=8", "model.hidden=8"}));

TEST(Resume, CtrlCNamesTheShortCommandWhichEndsAllRuns) {
  const Workplace place, other;
  Program program(place, kSeveral);
  program.wait_until_written(place.path() / "run/seed-3/metrics.jsonl", 1500);
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  ASSERT_EQ(stopped.status, 4) << stopped.err;
  EXPECT_TRUE(stopped.err.ends_with(
      "; the checkpoint is in run; to resume: " + std::string(kProgram) + " train --resume run\n"))
      << stopped.err;
  const Outcome resumed = run(place, {"train", "--resume", "run", "--json", "--quiet"});
  EXPECT_EQ(timeless(resumed), timeless(run(other, kSeveral)));
  EXPECT_TRUE(Json::parse(resumed.out)["runs"][1]["test"].is_null());  // as it was asked for
  expect_same_files(place, files_of(other));
}

// The folder remembers where the data is; the results call it as the first call did.
TEST(Resume, DataNamedByARelativePathHasTheSameName) {
  const Words call = small_training({"--set", "em.rounds=400", "--out", "run"});
  const Workplace place, other;
  for (const Workplace* each : {&place, &other}) write(*each, "mine.csv", small_table());
  Program program(place, call);
  program.wait_until_written(place.path() / "run/metrics.jsonl", 1500);
  program.send(SIGKILL);
  ASSERT_EQ(program.wait().status, 128 + SIGKILL);
  const Outcome resumed = run(place, {"train", "--resume", "run", "--quiet"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(Json::parse(read(place.path() / "run/results.json"))["dataset"], "mine.csv");
  ASSERT_EQ(run(other, call).status, 0);
  expect_same_files(place, files_of(other));
}

TEST(Resume, AFinishedRunSaysSoAndShowsItsResults) {
  const Workplace place;
  const Outcome trained = run(place, kSeveral);
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Outcome again = run(place, {"train", "--resume", "run", "--json"});
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out, trained.out);  // even the times
  EXPECT_NE(again.err.find("run: already finished"), std::string::npos) << again.err;
  // One of several is a run, too.
  EXPECT_EQ(run(place, {"train", "--resume", "run/seed-4", "--quiet"}).status, 0);
}

// The results of the first runs are no sign that those that were asked for later are finished, too.
TEST(Resume, FinishedRunsThatWereGivenMoreAreNotFinished) {
  const Workplace place;
  const Words call = training("gcn", {"fit.epochs=3"});
  ASSERT_EQ(run(place, joined(call, {"--runs", "2"})).status, 0);
  ASSERT_EQ(run(place, joined(call, {"--runs", "3"})).status, 0);
  fs::remove(place.path() / "run/seed-2/results.json");
  const Outcome resumed = run(place, {"train", "--resume", "run"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.err.find("already finished"), std::string::npos) << resumed.err;
  EXPECT_TRUE(fs::exists(place.path() / "run/seed-2/results.json"));
}

TEST(Resume, TheCommandHasTheProgramAsItWasCalled) {
  const Workplace place;
  fs::create_directory(place.path() / "my trains");
  const fs::path link = place.path() / "my trains" / "emgnn";
  fs::create_symlink(kProgram, link);
  const std::string called = "'" + link.string() + "'";
  const std::string command =
      called +
      " train --dataset noisy-relations --method em-gcn --set "
      "em.rounds=100000 --set stop.rule=never --quiet --out run & "
      "while kill -0 $! && ! [ -s run/metrics.jsonl ]; do sleep 0.05; done; "
      "kill -TERM $!; wait $!";
  const std::string all = "cd '" + place.path().string() + "' && { " + command + "; } 2>said";
  EXPECT_NE(std::system(all.c_str()), 0);
  const std::string said = read(place.path() / "said");
  EXPECT_NE(said.find("; to resume: " + called + " train --resume run\n"), std::string::npos)
      << said;
}

TEST(Resume, WhatCannotBeResumedIsOneLine) {
  const Workplace place;
  const auto resume = [&](const Words& more = {}) {
    return run(place, joined({"train", "--resume", "run", "--quiet"}, more));
  };
  expect_one_line(resume(), 2, "run: no such folder");
  fs::create_directory(place.path() / "run");
  expect_one_line(resume(), 2, "run: no run to resume: it has no manifest.json");
  fs::remove(place.path() / "run");
  expect_one_line(resume({"--seed", "1"}), 2, "excludes --");
  expect_one_line(resume({"--dataset", "cora"}), 2, "excludes --");
  expect_one_line(run(place, {"train", "--resume", ""}), 2, "the value is empty");
  expect_one_line(resume({"--checkpoint-every", "61"}), 2, "--checkpoint-every");

  ASSERT_EQ(run(place, training("gcn", {"fit.epochs=3"})).status, 0);
  const fs::path results = place.path() / "run/results.json";
  const std::string manifest = read(place.path() / "run/manifest.json"), made = read(results);
  fs::remove(results);
  Json other = Json::parse(manifest);
  other["program"]["emgnn"] = "0.0.1";
  write(place, "run/manifest.json", other.dump());
  expect_one_line(resume(), 2, "run/manifest.json: the run was begun by emgnn 0.0.1, this is ");
  other.erase("call");
  write(place, "run/manifest.json", other.dump());
  expect_one_line(resume(), 2, "run/manifest.json: the run was begun by a version of emgnn that");
  write(place, "run/manifest.json", "{");
  expect_one_line(resume(), 3, "run/manifest.json: damaged");
  write(place, "run/manifest.json", manifest);
  const std::string config = read(place.path() / "run/config.toml");
  write(place, "run/config.toml", config + "[");
  expect_one_line(resume(), 3, "run/config.toml:");
  write(place, "run/config.toml", config);
  EXPECT_EQ(resume().status, 0);
  EXPECT_EQ(timeless_text(read(results)), timeless_text(made));
}

}  // namespace
}  // namespace emgnn::cli_test
