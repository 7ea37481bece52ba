// SPDX-License-Identifier: Apache-2.0
// A graph and requests that train in a fraction of a second.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/chemistry.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/run/request.h>
#include "data/temp_dir.h"

namespace emgnn::testing {

// A folder for one test, which also holds its cache of parsed data.
class Workplace {
 public:
  Workplace() { setenv("EMGNN_CACHE", (dir_ / "cache").c_str(), 1); }
  ~Workplace() { unsetenv("EMGNN_CACHE"); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return dir_ / name; }
  void write(const std::string& name, std::string_view bytes) const { dir_.write(name, bytes); }
  std::string read(const std::string& name) const { return read_file(dir_ / name); }

 private:
  TempDir dir_;
};

// Forty nodes, n0 to n39, blue and red in turn; feature a tells them apart, and so do the edges of
// type likes. What a node and an edge are does not depend on the order in which they are written.
struct SmallGraph {
  std::vector<std::string> features = {"a", "b", "c"};
  std::vector<std::string> edge_types = {"likes", "knows"};
  bool reversed = false;  // the rows of nodes.csv
  bool with_split = true;
  std::string more_nodes;  // lines for nodes.csv

  static constexpr int kNodes = 40;

  double feature(int node, const std::string& name) const {
    Rng rng(1, Stream::kTest, static_cast<uint64_t>(node), static_cast<uint32_t>(name[0]));
    return rng.normal() + (name == "a" ? 2.0 * (node % 2) - 1.0 : 0.0);
  }

  std::string nodes_csv() const {
    std::string out = with_split ? "id,label,split" : "id,label";
    for (const std::string& name : features) out += "," + name;
    out += "\n";
    for (int i = 0; i < kNodes; ++i) {
      const int v = reversed ? kNodes - 1 - i : i;
      out += fmt::format("n{},{}", v, v % 2 == 0 ? "blue" : "red");
      if (with_split) out += v < 16 ? ",train" : v < 28 ? ",validation" : ",test";
      for (const std::string& name : features) out += fmt::format(",{:.4f}", feature(v, name));
      out += "\n";
    }
    return out + more_nodes;
  }

  std::string edges_csv() const {
    std::string out = "source,target,type\n";
    for (const std::string& type : edge_types) {
      for (uint64_t e = 0; e < 60; ++e) {
        Rng rng(2, Stream::kTest, e, static_cast<uint32_t>(type[0]));
        const uint64_t a = rng.below(kNodes), b = rng.below(kNodes);
        const uint64_t target = type == "likes" ? (b - b % 2 + a % 2) : b;
        if (a != target) out += fmt::format("n{},n{},{}\n", a, target, type);
      }
    }
    return out;
  }

  // Returns the folder as the name of a dataset.
  std::string write(const Workplace& place, const std::string& folder) const {
    place.write(folder + "/nodes.csv", nodes_csv());
    place.write(folder + "/edges.csv", edges_csv());
    return (place / folder).string();
  }
};

inline std::vector<std::string> small_settings(const std::string& method) {
  if (method == "label-propagation") return {};
  if (method_info(method).em)
    return {"em.rounds=2", "em.steps=3", "em.warmup=2", "model.hidden=4", "model.layers=2"};
  return {"fit.epochs=6", "model.hidden=4", "model.layers=2"};
}

inline RunRequest small_request(const std::string& dataset, const std::string& method,
                                std::vector<std::string> more_settings = {}) {
  std::vector<std::string> settings = small_settings(method);
  settings.emplace_back("preset=none");  // what auto does has tests of its own
  settings.insert(settings.end(), more_settings.begin(), more_settings.end());
  return {.config = {.dataset = dataset,
                     .method = method,
                     .layers = {{.name = "--set", .toml = "", .assignments = settings}}},
          .context = Context(2)};
}

// Asks to stop at its n-th chance and at every later one.
class StopAt : public RunsObserver {
 public:
  explicit StopAt(int chance) : chance_(chance) {}
  bool stop_requested() override { return asked_++ >= chance_; }

 private:
  int chance_, asked_ = 0;
};

// Counts what it is told.
class Counter : public RunsObserver {
 public:
  void on_run(int64_t /*run*/, uint64_t /*seed*/) override { ++runs; }
  void on_epoch(const EpochRecord& /*epoch*/, const ScoreInfo& /*main*/) override { ++epochs; }
  int runs = 0, epochs = 0;
};

inline bool has_chemistry() {
  try {
    chemistry();
    return true;
  } catch (const DataError&) {
    return false;
  }
}

// What f() says when it throws an Expected; "no error" otherwise.
template <class Expected, class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Expected& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace emgnn::testing

#define EMGNN_EXPECT_PART(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "\"" << (text) << "\""
