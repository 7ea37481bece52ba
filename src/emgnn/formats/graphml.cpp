// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/graphml.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

// From an offset in bytes to line and column.
class Lines {
 public:
  explicit Lines(std::string_view text) : size_(text.size()) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') begin_.push_back(i + 1);
    }
  }

  TextPosition position(std::ptrdiff_t offset) const {
    const size_t at = std::min(static_cast<size_t>(std::max<std::ptrdiff_t>(offset, 0)), size_);
    const auto next = std::upper_bound(begin_.begin(), begin_.end(), at);
    return {next - begin_.begin(), static_cast<int64_t>(at - *(next - 1)) + 1};
  }

 private:
  size_t size_;
  std::vector<size_t> begin_{0};  // of each line
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : text_(text), file_(file), lines_(text) {}

  Graphml parse() {
    const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size());
    if (!result) fail_at(file_, lines_.position(result.offset), result.description());
    const pugi::xml_node root = document_.child("graphml"), graph = root.child("graph");
    if (!graph) fail_at(file_, {}, "expected <graphml> with a <graph>");
    if (const pugi::xml_node second = graph.next_sibling("graph")) fail(second, "a second <graph>");
    if (const pugi::xml_node hyper = graph.child("hyperedge"))
      fail(hyper, "a <hyperedge> is not supported");
    for (const pugi::xml_node key : root.children("key")) read_key(key);
    for (const pugi::xml_node node : graph.children("node")) read_node(node);
    for (const pugi::xml_node edge : graph.children("edge")) {
      parsed_.edges.push_back({edge.attribute("source").value(), edge.attribute("target").value(),
                               read_values(edge, edge_keys_), position(edge)});
    }
    return std::move(parsed_);
  }

 private:
  using KeyIndex = std::map<std::string, size_t, std::less<>>;  // of an id; the last one counts

  TextPosition position(pugi::xml_node node) const { return lines_.position(node.offset_debug()); }

  [[noreturn]] void fail(pugi::xml_node node, std::string_view what) const {
    fail_at(file_, position(node), what);
  }

  void read_key(pugi::xml_node element) {
    const Graphml::Key key{element.attribute("id").value(), element.attribute("for").value(),
                           element.attribute("attr.name").value(),
                           element.attribute("attr.type").value(), position(element)};
    if (key.id.empty()) fail(element, "a <key> without an id");
    if (element.child("default")) fail(element, "a <default> of a <key> is not supported");
    if (key.of_nodes()) node_keys_[key.id] = parsed_.keys.size();
    if (key.of_edges()) edge_keys_[key.id] = parsed_.keys.size();
    parsed_.keys.push_back(key);
  }

  std::vector<Graphml::Value> read_values(pugi::xml_node element, const KeyIndex& keys) const {
    std::vector<Graphml::Value> values;
    for (const pugi::xml_node data : element.children("data")) {
      const std::string_view id = data.attribute("key").value();
      const auto key = keys.find(id);
      if (key == keys.end()) fail(data, fmt::format("no <key> {:?}", id));
      values.push_back({key->second, data.child_value(), position(data)});
    }
    return values;
  }

  void read_node(pugi::xml_node node) {
    const std::string id = node.attribute("id").value();
    if (id.empty()) fail(node, "a <node> without an id");
    if (node.child("graph")) fail(node, "a <graph> within a node is not supported");
    parsed_.nodes.push_back({id, read_values(node, node_keys_), position(node)});
  }

  std::string_view text_;
  const std::string& file_;
  Lines lines_;
  pugi::xml_document document_;
  KeyIndex node_keys_, edge_keys_;
  Graphml parsed_;
};

}  // namespace

Graphml parse_graphml(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

void fail_at(const std::string& file, TextPosition at, std::string_view what) {
  throw DataError(fmt::format("{}: line {}, column {}: {}", file, at.line, at.column, what));
}

}  // namespace emgnn
