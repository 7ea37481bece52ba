// SPDX-License-Identifier: Apache-2.0
// Training in batches of nodes with sampled neighbours, and data that is mapped.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <emgnn/base/file.h>
#include <emgnn/data/graph_file.h>
#include <emgnn/data/registry.h>
#include <emgnn/run/fit.h>
#include <emgnn/run/predict.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::message_of;
using testing::small_request;
using testing::SmallGraph;
using testing::StopAt;
using testing::Workplace;

struct Noted : RunsObserver {
  void on_note(const std::string& note) override { notes.push_back(note); }
  std::vector<std::string> notes;
};

const std::vector<std::string> kBatches = {"optim.batches=sampled", "optim.batch=4",
                                           "optim.fanout=2", "optim.epoch_steps=3"};

RunRequest batches(const std::string& dataset, const std::string& method,
                   std::vector<std::string> more = {}) {
  more.insert(more.begin(), kBatches.begin(), kBatches.end());
  return small_request(dataset, method, more);
}

// What a run leaves behind that does not tell the time.
std::string left_by(RunRequest request, const fs::path& out, RunsObserver& observer) {
  request.out = out;
  fit_runs(request, observer);
  return read_file(out / "predictions.csv") + read_file(out / "metrics.jsonl") +
         read_file(out / "model.safetensors");
}

std::string left_by(const RunRequest& request, const fs::path& out) {
  RunsObserver quiet;
  return left_by(request, out, quiet);
}

TEST(NodeBatches, AnInterruptedRunResumesToTheSameBytes) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  for (const char* method : {"gcn", "em-gcn", "em-gat"}) {
    const RunRequest request = batches(graph, method);
    const std::string whole = left_by(request, place / (std::string(method) + "-whole"));
    int interrupted = 0;
    for (int chance = 1; interrupted < 5; chance += 2) {
      RunRequest again = request;
      again.out = place / fmt::format("{}-{}", method, chance);
      StopAt stop(chance);
      try {
        fit_runs(again, stop);
        break;
      } catch (const Interrupted&) {
        ++interrupted;
      }
      EXPECT_TRUE(left_by(request, *again.out) == whole) << method << " " << chance;
    }
    EXPECT_GE(interrupted, 3);
  }
}

TEST(NodeBatches, ThreadsChangeNothing) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  RunRequest request = batches(graph, "em-gcn");
  request.context = Context(1);
  const std::string one = left_by(request, place / "one");
  request.context = Context(3);
  EXPECT_TRUE(left_by(request, place / "three") == one);
}

// One batch of all nodes with all their neighbours is what training takes at once.
TEST(NodeBatches, AllOfThemAreTheFullBatch) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  const auto predictions = [&](const std::string& method, std::vector<std::string> more,
                               const std::string& out) {
    more.push_back("model.dropout=0.4");
    if (method == "em-gcn") more.push_back("em.recipe=published");  // one network, all rows
    RunRequest request = small_request(graph, method, more);
    left_by(request, place / out);
    return read_file(place / out / "predictions.csv");
  };
  for (const std::string method : {"gcn", "em-gcn", "sgc", "mlp"}) {
    if (method == "sgc" || method == "mlp")
      continue;  // other keys; the networks do not matter here
    const std::string full = predictions(method, {"optim.batches=full"}, method + "-full");
    EXPECT_EQ(predictions(method, {"optim.batches=sampled", "optim.batch=1000", "optim.fanout=all"},
                          method + "-all"),
              full);
    EXPECT_EQ(predictions(method, {}, method + "-auto"), full);  // a small graph
    EXPECT_NE(predictions(method, {"optim.batches=sampled", "optim.batch=1000", "optim.fanout=1"},
                          method + "-one"),
              full);
  }
}

TEST(NodeBatches, SaysHowRowsAreTaken) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  const auto has = [](const Noted& noted, const std::string& words) {
    return std::any_of(noted.notes.begin(), noted.notes.end(), [&](const std::string& note) {
      return note.find(words) != std::string::npos;
    });
  };
  Noted full, sampled, judged;
  left_by(small_request(graph, "em-gcn"), place / "full", full);
  EXPECT_FALSE(has(full, "training nodes at a time"));
  left_by(batches(graph, "em-gcn"), place / "sampled", sampled);
  EXPECT_TRUE(has(sampled, "4 training nodes at a time, with 2 neighbours of each"));
  EXPECT_FALSE(has(sampled, "judged"));
  left_by(batches(graph, "em-gcn", {"optim.judged_rows=5", "em.recipe=published"}),
          place / "judged", judged);
  EXPECT_TRUE(has(judged, "the graphs are judged by a random 5 of"));
  EXPECT_TRUE(has(judged, "weights are judged by a random 5 of"));
}

TEST(NodeBatches, RefusesAWrongFanout) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  for (const char* wrong : {"", "0", "-3", "5,", "a", "3;4", "all,2"}) {
    const auto fit = [&] {
      RunsObserver quiet;
      fit_runs(small_request(graph, "gcn", {std::string("optim.fanout=") + wrong}), quiet);
    };
    EXPECT_NE(message_of<UsageError>(fit).find("optim.fanout"), std::string::npos) << wrong;
  }
}

TEST(GraphFileRuns, AMappedGraphGivesTheSameRun) {
  const Workplace place;
  const std::string graph = SmallGraph{}.write(place, "graph");
  const std::string file = (place / "graph.emgnn").string();
  write_graph_file(parse_dataset({.name = graph, .use_cache = false}), file);
  for (const char* method : {"gcn", "em-gcn"}) {
    const std::string name = method;
    const RunRequest read = small_request(graph, method), mapped = small_request(file, method);
    left_by(read, place / (name + "-read"));
    left_by(mapped, place / (name + "-mapped"));
    for (const char* left : {"predictions.csv", "metrics.jsonl"})
      EXPECT_EQ(read_file(place / (name + "-mapped") / left),
                read_file(place / (name + "-read") / left));
    const PredictedTable again = predict({.run = place / (name + "-read"), .dataset = file});
    EXPECT_FALSE(again.csv.empty());
  }
}

}  // namespace
}  // namespace emgnn
