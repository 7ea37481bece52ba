// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graphml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/formats/graphml.h>

namespace emgnn {
namespace {

// Gives nodes, edges and their values to the builder.
class Mapping {
 public:
  Mapping(const std::filesystem::path& path, const OwnGraphColumns& columns, GraphBuilder& builder)
      : file_(path.string()),
        graphml_(parse_graphml(read_file(path), file_)),
        columns_(columns),
        builder_(builder) {}

  void run() {
    map_keys();
    for (const Graphml::Node& node : graphml_.nodes) add_node(node);
    for (const Graphml::Edge& edge : graphml_.edges) add_edge(edge);
  }

 private:
  enum class Role { kType, kLabel, kSplit, kWeight, kFeature, kUnused };
  struct Use {
    Role role = Role::kUnused;
    int32_t column = 0;  // of a feature
  };

  Role role_of_nodes(const Graphml::Key& key) const {
    if (key.name == columns_.type) return Role::kType;
    if (key.name == columns_.label) return Role::kLabel;
    if (key.name == columns_.split) return Role::kSplit;
    return key.type == "string" ? Role::kUnused : Role::kFeature;
  }

  Role role_of_edges(const Graphml::Key& key) const {
    if (key.name == columns_.edge_type) return Role::kType;
    return key.name == columns_.weight ? Role::kWeight : Role::kUnused;
  }

  void map_keys() {
    std::vector<std::string> features;
    for (const Graphml::Key& key : graphml_.keys) {
      Use& of_nodes = node_use_.emplace_back();
      Use& of_edges = edge_use_.emplace_back();
      if (key.of_nodes()) {
        of_nodes = {role_of_nodes(key), static_cast<int32_t>(features.size())};
        if (of_nodes.role == Role::kFeature) features.push_back(key.name);
        if (of_nodes.role == Role::kLabel) {
          builder_.set_label_column(key.name, [file = file_, name = key.name](int64_t line) {
            return fmt::format("{}: line {}, attribute {:?}", file, line, name);
          });
        }
        if (of_nodes.role == Role::kUnused)
          builder_.note(fmt::format("node attribute {:?} is a text and not used", key.name));
      }
      if (key.of_edges()) {
        of_edges = {role_of_edges(key), 0};
        if (of_edges.role == Role::kUnused)
          builder_.note(fmt::format("edge attribute {:?} is not used", key.name));
      }
    }
    builder_.set_feature_names(std::move(features));
  }

  float number(const Graphml::Value& value) const {
    const std::string_view text = value.text;
    if (text == "true" || text == "false") return text == "true" ? 1.0F : 0.0F;
    float parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(parsed)) {
      fail_at(file_, value.at,
              fmt::format("{:?}: expected a number, found {:?}", graphml_.keys[value.key].name,
                          text.substr(0, 40)));
    }
    return parsed;
  }

  void add_node(const Graphml::Node& node) {
    GraphBuilder::NodeRecord record{.id = node.id};
    std::vector<GraphBuilder::FeatureEntry> features;
    bool given = false;
    for (const Graphml::Value& value : node.values) {
      const Use& use = node_use_[value.key];
      if (use.role == Role::kType) record.type = value.text;
      if (use.role == Role::kLabel) {
        record.label = value.text;
        record.label_at = value.at.line;
      }
      if (use.role == Role::kSplit && !value.text.empty()) {
        record.part = split_part(value.text);
        if (!record.part) fail_at(file_, value.at, "expected train, validation or test");
      }
      if (use.role != Role::kFeature) continue;
      given = true;
      if (const float x = number(value); x != 0.0F) features.push_back({use.column, x});
    }
    std::sort(features.begin(), features.end(),
              [](const auto& a, const auto& b) { return a.col < b.col; });
    const auto twice =
        std::adjacent_find(features.begin(), features.end(),
                           [](const auto& a, const auto& b) { return a.col == b.col; });
    if (twice != features.end()) fail_at(file_, node.at, "an attribute is given twice");
    if (!builder_.add_node(record))
      fail_at(file_, node.at, fmt::format("a second node {:?}", record.id));
    builder_.add_feature_row(features, given);
  }

  int32_t find_end(const Graphml::Edge& edge, const char* attribute, const std::string& id) const {
    const auto node = builder_.nodes.find(id);
    if (!node) fail_at(file_, edge.at, fmt::format("{}: no node {:?}", attribute, id));
    return *node;
  }

  void add_edge(const Graphml::Edge& edge) {
    std::string_view relation = "edge";
    float weight = 1.0F;
    for (const Graphml::Value& value : edge.values) {
      const Role role = edge_use_[value.key].role;
      if (role == Role::kType) relation = value.text;
      if (role == Role::kWeight) weight = number(value);
    }
    if (weight <= 0) fail_at(file_, edge.at, "a weight must be above 0");
    if (relation.empty()) fail_at(file_, edge.at, "an edge without a type");
    const int32_t source = find_end(edge, "source", edge.source);
    const int32_t target = find_end(edge, "target", edge.target);
    builder_.add_edge(builder_.relations.add(relation), source, target, weight);
  }

  std::string file_;
  Graphml graphml_;
  const OwnGraphColumns& columns_;
  GraphBuilder& builder_;
  std::vector<Use> node_use_, edge_use_;  // of each key
};

}  // namespace

void read_graphml(const std::filesystem::path& path, const OwnGraphColumns& columns,
                  GraphBuilder& builder) {
  Mapping(path, columns, builder).run();
}

}  // namespace emgnn
