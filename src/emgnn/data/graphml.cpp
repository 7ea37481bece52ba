// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graphml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>

namespace emgnn {
namespace {

class GraphmlReader {
 public:
  GraphmlReader(const std::filesystem::path& path, const OwnGraphColumns& columns,
                GraphBuilder& builder)
      : file_(path.string()), text_(read_file(path)), columns_(columns), builder_(builder) {}

  void run() {
    const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size());
    if (!result) fail(result.offset, result.description());
    const pugi::xml_node root = document_.child("graphml"), graph = root.child("graph");
    if (!graph) fail(0, "expected <graphml> with a <graph>");
    if (graph.next_sibling("graph"))
      fail(graph.next_sibling("graph").offset_debug(), "a second <graph>");
    if (const pugi::xml_node hyper = graph.child("hyperedge"))
      fail(hyper.offset_debug(), "a <hyperedge> is not supported");
    read_keys(root);
    for (const pugi::xml_node node : graph.children("node")) read_node(node);
    for (const pugi::xml_node edge : graph.children("edge")) read_edge(edge);
  }

 private:
  enum class Role { kType, kLabel, kSplit, kWeight, kFeature, kUnused };
  struct Key {
    Role role = Role::kUnused;
    int32_t column = 0;
    std::string name;
  };

  [[noreturn]] void fail(std::ptrdiff_t offset, std::string_view what) const {
    const size_t end =
        std::min(static_cast<size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size());
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const size_t begin = text_.rfind('\n', end == 0 ? 0 : end - 1);
    const size_t column = end - (begin == std::string::npos || begin >= end ? 0 : begin + 1) + 1;
    throw DataError(fmt::format("{}: line {}, column {}: {}", file_, line, column, what));
  }

  void read_keys(pugi::xml_node root) {
    std::vector<std::string> features;
    for (const pugi::xml_node key : root.children("key")) {
      const std::string id = key.attribute("id").value(), domain = key.attribute("for").value();
      const std::string name = key.attribute("attr.name").value(),
                        type = key.attribute("attr.type").value();
      if (id.empty()) fail(key.offset_debug(), "a <key> without an id");
      if (key.child("default")) fail(key.offset_debug(), "a <default> of a <key> is not supported");
      if (domain == "node" || domain == "all") {
        Role role = name == columns_.type    ? Role::kType
                    : name == columns_.label ? Role::kLabel
                    : name == columns_.split ? Role::kSplit
                    : type == "string"       ? Role::kUnused
                                             : Role::kFeature;
        if (role == Role::kUnused)
          builder_.note(fmt::format("node attribute {:?} is a text and not used", name));
        node_keys_[id] = {role, static_cast<int32_t>(features.size()), name};
        if (role == Role::kFeature) features.push_back(name);
      }
      if (domain == "edge" || domain == "all") {
        const Role role = name == columns_.edge_type ? Role::kType
                          : name == columns_.weight  ? Role::kWeight
                                                     : Role::kUnused;
        if (role == Role::kUnused)
          builder_.note(fmt::format("edge attribute {:?} is not used", name));
        edge_keys_[id] = {role, 0, name};
      }
    }
    builder_.set_feature_names(std::move(features));
  }

  const Key& key_of(const std::map<std::string, Key>& keys, pugi::xml_node data) const {
    const auto found = keys.find(data.attribute("key").value());
    if (found == keys.end())
      fail(data.offset_debug(), fmt::format("no <key> {:?}", data.attribute("key").value()));
    return found->second;
  }

  float number(pugi::xml_node data, const Key& key) const {
    const std::string_view text = data.child_value();
    if (text == "true" || text == "false") return text == "true" ? 1.0F : 0.0F;
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
      fail(data.offset_debug(),
           fmt::format("{:?}: expected a number, found {:?}", key.name, text.substr(0, 40)));
    }
    return value;
  }

  void read_node(pugi::xml_node node) {
    GraphBuilder::NodeRecord record{node.attribute("id").value(), {}, {}, {}};
    if (record.id.empty()) fail(node.offset_debug(), "a <node> without an id");
    if (node.child("graph")) fail(node.offset_debug(), "a <graph> within a node is not supported");
    std::vector<GraphBuilder::FeatureEntry> features;
    bool given = false;
    for (const pugi::xml_node data : node.children("data")) {
      const Key& key = key_of(node_keys_, data);
      if (key.role == Role::kType) record.type = data.child_value();
      if (key.role == Role::kLabel) record.label = data.child_value();
      if (key.role == Role::kSplit && *data.child_value() != '\0') {
        record.part = split_part(data.child_value());
        if (!record.part) fail(data.offset_debug(), "expected train, validation or test");
      }
      if (key.role != Role::kFeature) continue;
      given = true;
      if (const float value = number(data, key); value != 0.0F)
        features.push_back({key.column, value});
    }
    const auto by_column = [](const auto& a, const auto& b) { return a.col < b.col; };
    std::sort(features.begin(), features.end(), by_column);
    if (std::adjacent_find(features.begin(), features.end(), [](const auto& a, const auto& b) {
          return a.col == b.col;
        }) != features.end()) {
      fail(node.offset_debug(), "an attribute is given twice");
    }
    if (!builder_.add_node(record))
      fail(node.offset_debug(), fmt::format("a second node {:?}", record.id));
    builder_.add_feature_row(features, given);
  }

  int32_t end_of(pugi::xml_node edge, const char* attribute) const {
    const auto node = builder_.nodes.find(edge.attribute(attribute).value());
    if (!node)
      fail(edge.offset_debug(),
           fmt::format("{}: no node {:?}", attribute, edge.attribute(attribute).value()));
    return *node;
  }

  void read_edge(pugi::xml_node edge) {
    std::string relation = "edge";
    float weight = 1.0F;
    for (const pugi::xml_node data : edge.children("data")) {
      const Key& key = key_of(edge_keys_, data);
      if (key.role == Role::kType) relation = data.child_value();
      if (key.role == Role::kWeight) weight = number(data, key);
    }
    if (weight <= 0) fail(edge.offset_debug(), "a weight must be above 0");
    if (relation.empty()) fail(edge.offset_debug(), "an edge without a type");
    const int32_t source = end_of(edge, "source"), target = end_of(edge, "target");
    builder_.add_edge(builder_.relations.add(relation), source, target, weight);
  }

  std::string file_, text_;
  const OwnGraphColumns& columns_;
  GraphBuilder& builder_;
  pugi::xml_document document_;
  std::map<std::string, Key> node_keys_, edge_keys_;
};

}  // namespace

void read_graphml(const std::filesystem::path& path, const OwnGraphColumns& columns,
                  GraphBuilder& builder) {
  GraphmlReader(path, columns, builder).run();
}

}  // namespace emgnn
