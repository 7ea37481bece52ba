// SPDX-License-Identifier: Apache-2.0
// A graph of three communities whose files can be written in any order.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/program.h"

namespace emgnn::cli_test {

struct SmallGraph {
  static constexpr int kNodes = 60;
  std::vector<int> nodes;  // the rows of nodes.csv
  std::vector<std::string> features = {"a", "b", "c", "d", "e"};
  std::vector<std::string> edge_types = {"near", "far"};
  std::string extra_feature, extra_node;  // that are in no other graph
  bool same_edges = false;                // the two edge types join the same nodes

  SmallGraph() {
    for (int i = 0; i < kNodes; ++i) nodes.push_back(i);
  }

  // nodes.csv and edges.csv in a folder.
  void write(const Workplace& place, const std::string& folder) const {
    std::filesystem::create_directory(place.path() / folder);
    cli_test::write(place, folder + "/nodes.csv", nodes_csv());
    cli_test::write(place, folder + "/edges.csv", edges_csv());
  }

 private:
  static std::string name(int i) { return "n" + std::to_string(i); }

  // The class is in every feature, and no feature tells it alone.
  static int value(int i, char feature) {
    const int noise = (i * 7 + feature * 13) % 4;
    return (i % 3 + 1) * (feature - 'a' + 1) % 5 + noise;
  }

  std::string nodes_csv() const {
    std::string out = "id,label,split";
    for (const std::string& feature : features) out += "," + feature;
    out += (extra_feature.empty() ? "" : "," + extra_feature) + "\n";
    const char* parts[] = {"train", "validation", "test"};
    for (int i : nodes) {
      out += name(i) + ",class " + std::to_string(i % 3) + "," + parts[i / 3 % 3];
      for (const std::string& feature : features)
        out += "," + std::to_string(value(i, feature.front()));
      out += (extra_feature.empty() ? "" : "," + std::to_string(i)) + "\n";
    }
    if (extra_node.empty()) return out;
    out += extra_node + ",,";
    for (size_t f = 0; f < features.size(); ++f) out += ",1";
    return out + "\n";
  }

  std::string edges_csv() const {
    std::string out = "source,target,type\n";
    for (const std::string& type : edge_types) {
      for (int i = 0; i < kNodes; ++i) {
        // Near nodes are of one class.
        const int step = type == "near" || same_edges ? 3 : 7;
        out += name(i) + "," + name((i + step) % kNodes) + "," + type + "\n";
      }
    }
    return out;
  }
};

}  // namespace emgnn::cli_test
