// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graph_builder.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/default_features.h>
#include <emgnn/formats/ndarray.h>

namespace emgnn {
namespace {

constexpr int32_t kNoType = -1;
constexpr const char* kPartNames[] = {"train", "validation", "test"};

// Above this share of non-zeros a dense matrix is smaller and faster.
constexpr double kDenseShare = 0.5;

// How many entries name each of the first n.
std::vector<int64_t> count_each(const std::vector<int32_t>& entries, size_t n) {
  std::vector<int64_t> count(n, 0);
  for (const int32_t i : entries) {
    if (i >= 0) ++count[static_cast<size_t>(i)];
  }
  return count;
}

// "3 classes (a 2, b 5, c 1); 2 nodes without one"
std::string note_of(const Labels& labels) {
  if (labels.kind == LabelKind::kNone) return "labels: none";
  const int64_t without = labels.num_rows - labels.num_known();
  if (labels.kind == LabelKind::kClasses) {
    const std::vector<int64_t> count = count_each(labels.cls, labels.names.size());
    return fmt::format("labels: {} classes ({}); {} nodes without one", labels.num_names(),
                       counts_of(labels.names, count), without);
  }
  if (labels.kind == LabelKind::kValues)
    return fmt::format("values of {}; {} nodes without one", labels.names.front(), without);
  std::vector<int64_t> count(labels.names.size(), 0);
  for (size_t i = 0; i < labels.value.size(); ++i)
    count[i % count.size()] += labels.value[i] == 1.0 ? 1 : 0;
  return fmt::format("labels: {} names ({}); {} nodes without a cell", labels.num_names(),
                     counts_of(labels.names, count), without);
}

bool equal(const Csr& a, const Csr& b) {
  return a.rowptr == b.rowptr && a.col == b.col && a.val == b.val;
}

// Of each relation the other one that is exactly its transpose. A symmetric one has none: as many
// others might equal it, and its edges have no direction to lose.
std::vector<std::optional<size_t>> reverses(const std::vector<Relation>& directed) {
  std::vector<std::optional<size_t>> out(directed.size());
  for (size_t i = 0; i < directed.size(); ++i) {
    const Csr& a = directed[i].adjacency;
    if (out[i] || a.num_entries() == 0) continue;
    std::optional<Csr> turned;  // made when a relation of this size needs it
    for (size_t j = i + 1; j < directed.size() && !out[i]; ++j) {
      if (out[j] || directed[j].adjacency.num_entries() != a.num_entries()) continue;
      if (!turned) turned = transpose(a).csr;
      if (equal(*turned, a)) break;
      if (!equal(*turned, directed[j].adjacency)) continue;
      out[i] = j;
      out[j] = i;
    }
  }
  return out;
}

Features dense_if_full(Csr rows) {
  Features features;
  features.num_rows = rows.num_rows;
  features.num_cols = rows.num_cols;
  const double cells = static_cast<double>(rows.num_rows) * rows.num_cols;
  if (static_cast<double>(rows.num_entries()) <= kDenseShare * cells) {
    features.sparse = std::move(rows);
    return features;
  }
  features.is_sparse = false;
  features.dense.assign(static_cast<size_t>(cells), 0.0F);
  for (size_t r = 0; r < static_cast<size_t>(rows.num_rows); ++r) {
    for (int32_t k = rows.rowptr[r]; k < rows.rowptr[r + 1]; ++k) {
      features.dense[r * static_cast<size_t>(rows.num_cols) +
                     static_cast<size_t>(rows.col[static_cast<size_t>(k)])] = rows.value(k);
    }
  }
  return features;
}

}  // namespace

std::optional<size_t> split_part(std::string_view word) {
  if (word == "train") return 0;
  if (word == "validation" || word == "val" || word == "valid") return 1;
  if (word == "test") return 2;
  return std::nullopt;
}

void GraphBuilder::set_label_column(std::string name, LabelCells::Place place) {
  EMGNN_DCHECK(labels_.texts().empty());
  labels_ = LabelCells(std::move(name), std::move(place));
}

std::optional<int32_t> GraphBuilder::add_node(const NodeRecord& record) {
  const int32_t node = nodes.add(record.id);
  if (static_cast<size_t>(node) < node_type_.size()) return std::nullopt;
  node_type_.push_back(record.type.empty() ? kNoType : types_.add(record.type));
  labels_.add(record.label, record.label_at);
  if (record.part) parts_[*record.part].push_back(node);
  return node;
}

void GraphBuilder::add_edge(int32_t relation, int32_t source, int32_t target, float weight) {
  if (static_cast<size_t>(relation) >= edges_.size())
    edges_.resize(static_cast<size_t>(relation) + 1);
  EdgeList& list = edges_[static_cast<size_t>(relation)];
  if (weight != 1.0F && !list.weighted) {
    list.weighted = true;
    list.coo.val.assign(list.coo.row.size(), 1.0F);
  }
  list.coo.row.push_back(source);
  list.coo.col.push_back(target);
  if (list.weighted) list.coo.val.push_back(weight);
}

void GraphBuilder::set_feature_names(std::vector<std::string> names) {
  rows_.num_cols = static_cast<int32_t>(names.size());
  feature_names_ = std::move(names);
}

void GraphBuilder::add_feature_row(const std::vector<FeatureEntry>& row, bool given) {
  for (const FeatureEntry& entry : row) {
    rows_.col.push_back(entry.col);
    rows_.val.push_back(entry.value);
  }
  if (rows_.col.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw DataError("the node table has more than 2^31 non-zero features");
  }
  rows_.rowptr.push_back(static_cast<int32_t>(rows_.col.size()));
  ++rows_.num_rows;
  given_.push_back(given);
}

void GraphBuilder::set_features(Features features) { features_ = std::move(features); }

ParsedDataset GraphBuilder::finish(const std::string& name, const std::string& task,
                                   Reversed reversed) {
  ParsedDataset parsed;
  parsed.dataset.name = name;
  if (node_type_.empty()) throw DataError(fmt::format("{}: the graph has no nodes", name));
  EMGNN_DCHECK(node_type_.size() == nodes.size());  // every id has its record
  finish_labels(parsed, task);
  finish_types(parsed);
  finish_graph(parsed, reversed);
  finish_features(parsed);
  finish_split(parsed);
  parsed.dataset.node_names = nodes.take_names();
  parsed.notes = std::move(notes_);
  return parsed;
}

void GraphBuilder::finish_labels(ParsedDataset& parsed, const std::string& task) {
  ReadLabels read = read_node_labels(std::exchange(labels_, {}), task);
  note(fmt::format("nodes: {}", nodes.size()));
  if (!read.note.empty()) note(std::move(read.note));
  note(note_of(read.labels));
  parsed.dataset.labels = std::move(read.labels);
}

void GraphBuilder::finish_types(ParsedDataset& parsed) {
  Dataset& dataset = parsed.dataset;
  if (types_.names().empty()) return;
  if (std::find(node_type_.begin(), node_type_.end(), kNoType) != node_type_.end()) {
    throw DataError(fmt::format("{}: some nodes have a type and some have none", dataset.name));
  }
  SortedNames types = sorted_names(types_.take_names());
  for (int32_t& type : node_type_) type = types.rank[static_cast<size_t>(type)];
  dataset.node_type = std::move(node_type_);
  dataset.node_type_names = std::move(types.names);
  note(fmt::format("node types: {}",
                   counts_of(dataset.node_type_names,
                             count_each(dataset.node_type, dataset.node_type_names.size()))));
}

void GraphBuilder::finish_graph(ParsedDataset& parsed, Reversed reversed) {
  const auto num_nodes = static_cast<int32_t>(nodes.size());
  const std::vector<std::string> names = relations.take_names();
  parsed.dataset.graph.num_nodes = num_nodes;
  edges_.resize(names.size());
  std::vector<Relation> directed;
  std::vector<int64_t> duplicates, self_loops;
  for (const size_t i : sorted_order(names)) {
    const Coo coo = std::move(edges_[i].coo);
    const Csr all = csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepMax);
    directed.push_back({names[i], remove_diagonal(all)});
    duplicates.push_back(static_cast<int64_t>(coo.row.size()) - all.num_entries());
    self_loops.push_back(all.num_entries() - directed.back().adjacency.num_entries());
    parsed.num_duplicates += duplicates.back();
    parsed.num_self_loops += self_loops.back();
  }
  edges_.clear();
  if (directed.empty())
    throw DataError(fmt::format("{}: the graph has no edges", parsed.dataset.name));
  const std::vector<std::optional<size_t>> reverse = reverses(directed);
  for (size_t i = 0; i < directed.size(); ++i) {
    const std::string& name = directed[i].name;
    Csr there = std::exchange(directed[i].adjacency, {});
    const bool apart = reverse[i] && reversed == Reversed::kKeep;
    Csr both = symmetrise(there);
    note(fmt::format("relation {}: {} undirected edges{}; left out: {} repetitions, {} self loops",
                     name, both.num_entries() / 2, both.val.empty() ? "" : ", weighted",
                     duplicates[i], self_loops[i]));
    if (reverse[i] && !apart && *reverse[i] < i) {
      note(
          fmt::format("relation {} is {} reversed: the two count as one, {}; --set "
                      "data.directed_relations=true keeps them apart",
                      name, directed[*reverse[i]].name, directed[*reverse[i]].name));
      continue;
    }
    parsed.dataset.graph.relations.push_back({name, std::move(apart ? there : both)});
  }
}

void GraphBuilder::finish_features(ParsedDataset& parsed) {
  Dataset& dataset = parsed.dataset;
  const int32_t num_nodes = dataset.graph.num_nodes;
  if (features_) {
    dataset.features = std::move(*features_);
    note(fmt::format("features: {} columns, {}", dataset.features.num_cols,
                     dataset.features.is_sparse ? "sparse" : "dense"));
    return;
  }
  if (!has_feature_columns()) {
    rows_ = {};
    rows_.num_rows = num_nodes;
    rows_.rowptr.assign(static_cast<size_t>(num_nodes) + 1, 0);
    given_.assign(static_cast<size_t>(num_nodes), false);
  }
  std::vector<bool> lacks(std::max<size_t>(1, dataset.node_type_names.size()), true);
  for (size_t i = 0; i < given_.size(); ++i) {
    if (given_[i])
      lacks[static_cast<size_t>(dataset.node_type.empty() ? 0 : dataset.node_type[i])] = false;
  }
  if (has_feature_columns()) note(fmt::format("features: {} columns", rows_.num_cols));
  for (size_t t = 0; t < lacks.size(); ++t) {
    if (!lacks[t]) continue;
    note(fmt::format(
        "features of {}: none given; one-hot of the type and of the degree's power of two instead",
        dataset.node_type_names.empty() ? "all nodes" : "type " + dataset.node_type_names[t]));
  }
  parsed.features_are_default = !has_feature_columns();
  if (std::find(lacks.begin(), lacks.end(), true) != lacks.end()) {
    rows_ = append_default_features(rows_, dataset.graph, dataset.node_type, lacks);
    for (std::string& name : default_feature_names(dataset.node_type_names, lacks))
      feature_names_.push_back(std::move(name));
  }
  drop_unit_values(rows_);
  dataset.features = dense_if_full(std::exchange(rows_, {}));
  dataset.features.names = std::exchange(feature_names_, {});
}

void GraphBuilder::finish_split(ParsedDataset& parsed) {
  if (std::all_of(parts_.begin(), parts_.end(), [](const auto& ids) { return ids.empty(); }))
    return;
  for (size_t p = 0; p < parts_.size(); ++p) {
    for (const int32_t node : parts_[p]) {
      if (parsed.dataset.labels.known(node)) continue;
      throw DataError(fmt::format("{}: node {:?} is in the {} part but has no label",
                                  parsed.dataset.name, nodes.name(node), kPartNames[p]));
    }
  }
  note(fmt::format("split: train {}, validation {}, test {}", parts_[0].size(), parts_[1].size(),
                   parts_[2].size()));
  parsed.splits.push_back(
      {"column", {std::move(parts_[0]), std::move(parts_[1]), std::move(parts_[2])}});
}

}  // namespace emgnn
