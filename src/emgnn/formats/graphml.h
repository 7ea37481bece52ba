// SPDX-License-Identifier: Apache-2.0
// GraphML: attributes declared as keys, then nodes and edges with values of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

struct TextPosition {
  int64_t line = 1, column = 1;
};

// The one <graph> of a file, as it stands there: ends of edges are names that need not exist.
struct Graphml {
  struct Key {
    std::string id, domain, name, type;  // id, for, attr.name, attr.type; the last three may be ""
    TextPosition at;

    bool of_nodes() const { return domain == "node" || domain == "all"; }
    bool of_edges() const { return domain == "edge" || domain == "all"; }
  };
  struct Value {
    size_t key = 0;  // index into `keys`, of the right domain
    std::string text;
    TextPosition at;
  };
  struct Node {
    std::string id;  // not empty
    std::vector<Value> values;
    TextPosition at;
  };
  struct Edge {
    std::string source, target;
    std::vector<Value> values;
    TextPosition at;
  };

  std::vector<Key> keys;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

// DataError where the text is not XML or uses what is not supported: several graphs, graphs within
// nodes, hyperedges, defaults of keys.
Graphml parse_graphml(std::string_view text, const std::string& file);

// "file: line 3, column 5: what"
[[noreturn]] void fail_at(const std::string& file, TextPosition at, std::string_view what);

}  // namespace emgnn
