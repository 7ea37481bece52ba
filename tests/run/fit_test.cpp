// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/fit.h>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include <emgnn/run/evaluate.h>
#include <emgnn/run/run_folder.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::Counter;
using testing::message_of;
using testing::small_request;
using testing::SmallGraph;
using testing::StopAt;
using testing::Workplace;

Results fit_quietly(const RunRequest& request) {
  RunsObserver quiet;
  return fit_runs(request, quiet);
}

std::string refusal(const RunRequest& request) {
  return message_of<UsageError>([&] { fit_quietly(request); });
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out.insert(fs::relative(entry.path(), folder).generic_string());
  return out;
}

// All but times and memory.
Json lasting(const Results& results) {
  Json json = to_json(results);
  for (Json& run : json["runs"])
    for (const char* key : {"seconds", "prepare_seconds", "peak_rss_mb"}) run.erase(key);
  return json;
}

void expect_same_run(const fs::path& a, const fs::path& b) {
  std::set<std::string> files = files_in(a), there = files_in(b);
  // Written now and then, and when a run is interrupted; it says how long training took.
  files.erase("checkpoint/state.safetensors");
  there.erase("checkpoint/state.safetensors");
  EXPECT_EQ(there, files);
  for (const std::string& file : files) {
    if (file == "results.json") continue;  // with times; compared by lasting()
    EXPECT_TRUE(read_file(a / file) == read_file(b / file)) << file;
  }
}

// Interrupts a run at one chance after the other; each time it resumes to the same bytes.
void expect_resumable(const Workplace& place, const RunRequest& request, int stride) {
  RunRequest whole = request;
  whole.out = place / "whole";
  const Json expected = lasting(fit_quietly(whole));
  int interrupted = 0;
  for (int chance = 0;; chance += stride) {
    RunRequest again = request;
    again.out = place / fmt::format("part-{}", chance);
    StopAt stop(chance);
    try {
      fit_runs(again, stop);
      break;
    } catch (const Interrupted&) {
      ++interrupted;
    }
    EXPECT_FALSE(fs::exists(*again.out / "results.json"));
    EXPECT_EQ(lasting(fit_quietly(again)), expected) << chance;
    expect_same_run(*whole.out, *again.out);
  }
  EXPECT_GE(interrupted, 4);
}

TEST(Fit, AFolderHoldsWhatTheDesignSays) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  request.out = place / "em";
  fit_quietly(request);
  EXPECT_EQ(files_in(*request.out),
            (std::set<std::string>{"checkpoint/state.safetensors", "config.toml", "manifest.json",
                                   "metrics.jsonl", "model.safetensors", "posterior.csv",
                                   "predictions.csv", "results.json"}));
  const std::string one_type = SmallGraph{.edge_types = {"likes"}}.write(place, "one type");
  request = small_request(one_type, "gcn", {"perturb=10"});
  request.out = place / "plain";
  fit_quietly(request);
  EXPECT_FALSE(fs::exists(place / "plain/posterior.csv"));
  EXPECT_TRUE(fs::exists(place / "plain/perturbed_edges.csv"));
  const Json manifest = Json::parse(place.read("plain/manifest.json"));
  EXPECT_EQ(manifest["method"], "gcn");
  EXPECT_EQ(manifest["data"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(manifest["program"]["threads"], 2);
}

TEST(Fit, WithoutAFolderNothingIsWrittenAndTheResultIsTheSame) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  const Json unwritten = lasting(fit_quietly(request));
  EXPECT_EQ(files_in(place / "graph").size(), 2U);
  request.out = place / "run";
  EXPECT_EQ(lasting(fit_quietly(request)), unwritten);
}

TEST(Fit, FinishedRunsAreReadBackWithoutTraining) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  request.out = place / "run";
  request.runs = 2;
  Counter first, second, third;
  const Json json = to_json(fit_runs(request, first));
  EXPECT_EQ(first.runs, 2);
  EXPECT_GT(first.epochs, 0);
  EXPECT_TRUE(fs::exists(place / "run/seed-0/model.safetensors"));
  EXPECT_TRUE(fs::exists(place / "run/seed-1/results.json"));
  EXPECT_EQ(Json::parse(place.read("run/results.json")), json);
  EXPECT_EQ(to_json(fit_runs(request, second)), json);  // with the seconds of the first
  EXPECT_EQ(second.runs + second.epochs, 0);
  request.runs = 3;
  EXPECT_EQ(fit_runs(request, third).runs.size(), 3U);
  EXPECT_EQ(third.runs, 1);
}

TEST(Fit, EachRunOfASeriesIsTheSingleRunOfItsSeed) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "gcn");
  request.out = place / "series";
  request.runs = 2;
  fit_quietly(request);
  request.out = place / "single";
  request.runs = 1;
  request.seed = 1;
  fit_quietly(request);
  expect_same_run(place / "single", place / "series/seed-1");
}

TEST(Fit, AnInterruptedEmRunResumesToTheSameBytes) {
  const Workplace place;
  expect_resumable(place, small_request(SmallGraph{}.write(place, "graph"), "em-gcn"), 3);
}

TEST(Fit, AnInterruptedRunOfAnAveragedNetworkResumesToTheSameBytes) {
  const Workplace place;
  expect_resumable(place,
                   small_request(SmallGraph{}.write(place, "graph"), "acm-gcn+",
                                 {"optim.average=0.5", "optim.schedule=cosine", "stop.every=2"}),
                   1);
}

TEST(Fit, AnInterruptedRunOnMoleculesResumesToTheSameBytes) {
  if (!testing::has_chemistry()) GTEST_SKIP() << "needs EMGNN_RDKIT=ON";
  const Workplace place;
  std::string table = "smiles,y\n";
  for (int length = 1; length <= 20; ++length)
    table += std::string(static_cast<size_t>(length), 'C') + fmt::format("O,{}\n", 0.5 * length);
  place.write("mine.csv", table);
  expect_resumable(place,
                   small_request((place / "mine.csv").string(), "em-gcn-star",
                                 {"data.target=y", "model.head=4", "optim.batch=4", "em.draws=2",
                                  "space.radius_step=1", "stop.every=1"}),
                   3);
}

TEST(Fit, AnInterruptedRunWithoutAFolderIsRescued) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  const Json expected = lasting(fit_quietly(request));
  request.rescue = place / "rescued";
  StopAt stop(5);
  EXPECT_THROW(fit_runs(request, stop), Interrupted);
  EXPECT_TRUE(fs::exists(place / "rescued/checkpoint/state.safetensors"));
  request.out = request.rescue;
  EXPECT_EQ(lasting(fit_quietly(request)), expected);
}

TEST(Fit, ARunThatCannotBeRescuedIsSaidToBeLost) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  place.write("file", "");
  request.rescue = place / "file/rescued";
  StopAt stop(5);
  const std::string message = message_of<Interrupted>([&] { fit_runs(request, stop); });
  EMGNN_EXPECT_PART(message, "; the run is lost: " + request.rescue.string());
}

TEST(Fit, AnotherRunInTheFolderIsRefusedNamingTheDifference) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  RunRequest request = small_request(graph, "em-gcn");
  request.out = place / "run";
  fit_quietly(request);

  RunRequest other = request;
  other.seed = 1;
  EXPECT_EQ(refusal(other), (place / "run/manifest.json").string() +
                                ": the folder holds another run: seed is 0 there and 1 here; "
                                "choose another --out");
  other = request;
  other.config.layers[0].assignments.push_back("em.rounds=3");
  EMGNN_EXPECT_PART(refusal(other),
                    "config.toml: the folder holds another run: em.rounds is 2 "
                    "there and 3 here");
  other = small_request(graph, "gcn");
  other.out = request.out;
  EMGNN_EXPECT_PART(refusal(other), "method is \"em-gcn\" there and \"gcn\" here");
  other = request;
  other.runs = 2;
  EMGNN_EXPECT_PART(refusal(other), "runs is \"one\" there and \"one folder per seed\" here");
  other = request;
  other.config.dataset = SmallGraph{}.write(place, "copy");
  EMGNN_EXPECT_PART(refusal(other), "dataset is ");
  SmallGraph{.more_nodes = "n99,red,test,1,1,1\n"}.write(place, "graph");
  EMGNN_EXPECT_PART(refusal(request),
                    "manifest.json: the folder holds another run: data.sha256 is ");
}

TEST(Fit, ACheckpointOfDataThatHasChangedIsRefused) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  request.out = place / "run";
  StopAt stop(5);
  EXPECT_THROW(fit_runs(request, stop), Interrupted);
  SmallGraph{.more_nodes = "n99,red,test,1,1,1\n"}.write(place, "graph");
  EMGNN_EXPECT_PART(refusal(request), "a checkpoint of another run: data_sha256 is ");
}

TEST(Fit, ASettingThatFailsBeforeAnythingIsKeptCanBeChangedInTheSameFolder) {
  struct Failing : RunsObserver {
    void on_epoch(const EpochRecord&, const ScoreInfo&) override { throw UsageError("mend it"); }
  } failing;
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "gcn");
  request.out = place / "run";
  EXPECT_THROW(fit_runs(request, failing), UsageError);
  request.config.layers.push_back(
      {.name = "--set", .toml = "", .assignments = {"optim.learning_rate=0.02"}});
  EXPECT_EQ(fit_quietly(request).runs.size(), 1U);
}

TEST(Evaluate, DataThatHasChangedSinceTrainingIsRefused) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "gcn");
  request.out = place / "run";
  fit_quietly(request);
  const PredictRequest scored{.run = *request.out};
  EXPECT_EQ(evaluate(scored).parts.size(), 3U);
  SmallGraph{.more_nodes = "n99,red,test,1,1,1\n"}.write(place, "graph");
  EMGNN_EXPECT_PART(message_of<UsageError>([&] { evaluate(scored); }),
                    "the data has changed since the run was trained");
}

TEST(Evaluate, AnotherSpellingOfThePathIsTheSameData) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "gcn");
  request.out = place / "run";
  fit_quietly(request);
  const Evaluation there =
      evaluate({.run = *request.out, .dataset = request.config.dataset + "/../graph/"});
  EXPECT_EQ(there.parts.size(), 3U);
}

TEST(Fit, TheWordingOfAConfigurationDoesNotMatter) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  request.out = place / "run";
  StopAt stop(5);
  EXPECT_THROW(fit_runs(request, stop), Interrupted);
  // Other help, other order, other spelling of numbers, a key that is no more.
  place.write(
      "run/config.toml",
      "perturb = 0.0  # reworded\n[em]\nsteps = 3\nrounds = 0x2\neta = 4e0\n[gone]\nkey = 1\n");
  RunRequest whole = request;
  whole.out = place / "whole";
  EXPECT_EQ(lasting(fit_quietly(request)), lasting(fit_quietly(whole)));
  expect_same_run(*whole.out, *request.out);
}

TEST(Fit, DamagedFilesOfAFolderAreNamed) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  request.out = place / "run";
  StopAt stop(5);
  EXPECT_THROW(fit_runs(request, stop), Interrupted);
  const std::string file = "run/checkpoint/state.safetensors", whole = place.read(file);
  const auto damage = [&] { return message_of<DataError>([&] { fit_quietly(request); }); };
  for (const size_t bytes : {size_t{0}, size_t{7}, whole.size() / 2, whole.size() - 1}) {
    place.write(file, whole.substr(0, bytes));
    EMGNN_EXPECT_PART(damage(), (place / file).string());
  }
  std::string flipped = whole;
  flipped[whole.size() - 9] = static_cast<char>(flipped[whole.size() - 9] ^ 1);
  place.write(file, flipped);
  EMGNN_EXPECT_PART(damage(), (place / file).string());
  place.write(file, whole);
  fit_quietly(request);
  place.write("run/results.json", "{\"format\": 1}");
  EMGNN_EXPECT_PART(damage(), "results.json: results of another version of emgnn");
  place.write("run/config.toml", "em = \n");
  EMGNN_EXPECT_PART(damage(), "config.toml:1: ");
  place.write("run/config.toml", "");
  EMGNN_EXPECT_PART(damage(), "config.toml: damaged: it has no settings");
  place.write("run/manifest.json", "{}");
  EMGNN_EXPECT_PART(damage(), "manifest.json: dataset is missing");
  place.write("run/manifest.json", "{");
  EMGNN_EXPECT_PART(damage(), "manifest.json: damaged: not a JSON object");
}

TEST(Fit, HiddenTestScoresAreNowhere) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "em-gcn");
  request.out = place / "run";
  request.hide_test = true;
  const Results results = fit_quietly(request);
  EXPECT_TRUE(results.test_hidden());
  const Json json = Json::parse(place.read("run/results.json"));
  EXPECT_TRUE(json["runs"][0]["test"].is_null());
  EXPECT_EQ(json["mean"]["accuracy"], json["runs"][0]["validation"]["accuracy"]);
  // Training does not notice, and a number that is known now is in none of the files.
  request.out = place / "shown";
  request.hide_test = false;
  const Results shown = fit_quietly(request);
  ASSERT_FALSE(shown.test_hidden());
  const std::string loss = Json(shown.runs[0].test->at("nll")).dump();
  EXPECT_NE(place.read("shown/results.json").find(loss), std::string::npos);
  for (const std::string& file : files_in(place / "run"))
    EXPECT_EQ(place.read("run/" + file).find(loss), std::string::npos) << file;
  EXPECT_EQ(place.read("run/model.safetensors"), place.read("shown/model.safetensors"));
  // Nor do the predictions tell what the labels of the test rows are.
  EMGNN_EXPECT_PART(place.read("run/predictions.csv"), "\nn27,validation,red,");
  EMGNN_EXPECT_PART(place.read("run/predictions.csv"), "\nn28,test,,");
  EMGNN_EXPECT_PART(place.read("shown/predictions.csv"), "\nn28,test,blue,");
}

TEST(Fit, ASecondProcessInTheFolderIsRefused) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "graph"), "gcn");
  request.out = place / "run";
  const FolderLock lock(place / "run");
  EMGNN_EXPECT_PART(refusal(request), "another process is working in this folder");
}

TEST(Fit, AMistakeLeavesAFolderThatCanBeUsedOnceItIsMended) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  RunRequest request = small_request(graph, "em-gcn", {"space.max_drop=0.1"});
  request.out = place / "run";
  EMGNN_EXPECT_PART(refusal(request), "--set: space.max_drop is not read by em-gcn on this data");
  EXPECT_TRUE(files_in(place / "run").empty());
  request = small_request(graph, "em-gcn");
  request.out = place / "run";
  EXPECT_NO_THROW(fit_quietly(request));
}

TEST(Fit, NotesAboutTheDataReachTheObserverOnce) {
  class Notes : public RunsObserver {
   public:
    void on_note(const std::string& note) override { all.push_back(note); }
    std::vector<std::string> all;
  } notes;
  const Workplace place;
  place.write("graph/nodes.csv", "id,label,x\na,r,1\nb,s,0\nc,r,1\nd,s,0\ne,r,1\nf,s,0\n");
  place.write("graph/edges.csv", "source,target\na,c\nb,d\na,c\ne,a\nf,f\n");
  RunRequest request =
      small_request((place / "graph").string(), "gcn", {"split=random:0.34/0.33/0.33"});
  request.runs = 2;
  fit_runs(request, notes);
  EXPECT_FALSE(notes.all.empty());
  const std::set<std::string> different(notes.all.begin(), notes.all.end());
  EXPECT_EQ(different.size(), notes.all.size());
}

}  // namespace
}  // namespace emgnn
