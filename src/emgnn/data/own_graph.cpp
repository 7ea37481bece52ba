// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/own_graph.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/mapped_file.h>
#include <emgnn/base/utf8.h>
#include <emgnn/data/graph_builder.h>
#include <emgnn/data/graphml.h>
#include <emgnn/formats/csv.h>
#include <emgnn/formats/matrix_market.h>
#include <emgnn/formats/npy.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

// A place for the field, or nothing where the column is absent.
std::string_view field_or_empty(const CsvTable& table, int column) {
  return column < 0 ? std::string_view{} : table.field(static_cast<size_t>(column));
}

// A column that the user named must be there; one of the usual name may be.
int find_column(const CsvTable& table, const std::string& name, const std::string& usual) {
  return name == usual ? table.find(name) : static_cast<int>(table.require(name));
}

float finite_float(const CsvReader& row, size_t column, std::string_view name) {
  const double value = row.number(column, name);
  if (std::abs(value) > std::numeric_limits<float>::max())
    row.fail(column, name, "the number is too large");
  return static_cast<float>(value);
}

// Names come from these files and go into others, some of them JSON. The text is never copied.
class TextFile {
 public:
  explicit TextFile(const fs::path& path) : file_(MappedFile::open(path)) {
    const auto at = first_invalid_utf8(text());
    if (!at) return;
    const auto line =
        std::count(text().begin(), text().begin() + static_cast<ptrdiff_t>(*at), '\n');
    throw DataError(fmt::format("{}: line {}: not UTF-8; save the table in this encoding",
                                path.string(), line + 1));
  }
  std::string_view text() const { return file_->bytes(); }

 private:
  std::shared_ptr<const MappedFile> file_;
};

// Places in the node table; -1: there is no such column.
struct NodeColumns {
  size_t id;
  int type, label, split;
  std::vector<size_t> features;  // every other
};

NodeColumns find_node_columns(const CsvTable& table, const OwnGraphColumns& columns) {
  const OwnGraphColumns usual;
  NodeColumns found{table.require(columns.id),
                    find_column(table, columns.type, usual.type),
                    find_column(table, columns.label, usual.label),
                    find_column(table, columns.split, usual.split),
                    {}};
  for (size_t c = 0; c < table.columns().size(); ++c) {
    const int column = static_cast<int>(c);
    if (c != found.id && column != found.type && column != found.label && column != found.split)
      found.features.push_back(c);
  }
  return found;
}

void set_columns(const CsvTable& table, const std::string& file, const NodeColumns& at,
                 GraphBuilder& builder) {
  std::vector<std::string> names;
  for (const size_t c : at.features) names.push_back(table.columns()[c]);
  builder.set_feature_names(std::move(names));
  if (at.label < 0) return;
  const std::string& name = table.columns()[static_cast<size_t>(at.label)];
  builder.set_label_column(name, [file, name, column = at.label + 1](int64_t line) {
    return fmt::format("{}: line {}, column {} ({})", file, line, column, name);
  });
}

// What the split column says about a node with this label.
std::optional<size_t> read_part(const CsvTable& table, const NodeColumns& at,
                                const std::string& name, std::string_view label) {
  const std::string_view word = field_or_empty(table, at.split);
  if (word.empty() || word == "none") return std::nullopt;
  const auto part = split_part(word);
  const auto column = static_cast<size_t>(at.split);
  if (!part)
    table.row().fail(column, name,
                     fmt::format("expected train, validation, test or nothing, found {:?}", word));
  if (trimmed(label).empty()) table.row().fail(column, name, "a node of the split needs a label");
  return part;
}

void read_feature_cells(const CsvTable& table, const NodeColumns& at, GraphBuilder& builder) {
  std::vector<GraphBuilder::FeatureEntry> features;
  bool given = false;
  for (size_t k = 0; k < at.features.size(); ++k) {
    const size_t column = at.features[k];
    if (table.field(column).empty()) continue;
    given = true;
    const float value = finite_float(table.row(), column, table.columns()[column]);
    if (value != 0.0F) features.push_back({static_cast<int32_t>(k), value});
  }
  builder.add_feature_row(features, given);
}

void read_nodes(const fs::path& path, const OwnGraphColumns& columns, GraphBuilder& builder) {
  const TextFile file(path);
  CsvTable table(file.text(), path.string());
  const NodeColumns at = find_node_columns(table, columns);
  set_columns(table, path.string(), at, builder);
  while (table.next()) {
    const CsvReader& row = table.row();
    GraphBuilder::NodeRecord record{.id = table.field(at.id),
                                    .type = field_or_empty(table, at.type),
                                    .label = field_or_empty(table, at.label),
                                    .label_at = row.line()};
    if (record.id.empty()) row.fail(at.id, columns.id, "a node without an id");
    if (at.type >= 0 && record.type.empty())
      row.fail(static_cast<size_t>(at.type), columns.type, "a node without a type");
    record.part = read_part(table, at, columns.split, record.label);
    if (!builder.add_node(record))
      row.fail(at.id, columns.id, fmt::format("a second node {:?}", record.id));
    read_feature_cells(table, at, builder);
  }
}

// Without a node table an edge brings its nodes along.
int32_t node_of(const CsvTable& table, size_t column, const std::string& name, bool add_new,
                GraphBuilder& builder) {
  const std::string_view id = table.field(column);
  if (id.empty()) table.row().fail(column, name, "an edge without a node");
  if (const auto known = builder.nodes.find(id)) return *known;
  if (!add_new) table.row().fail(column, name, fmt::format("no node {:?} in the node table", id));
  const int32_t node = *builder.add_node({.id = id});
  builder.add_feature_row({}, false);
  return node;
}

void read_edges(const fs::path& path, const OwnGraphColumns& columns, bool add_nodes,
                GraphBuilder& builder) {
  const TextFile file(path);
  CsvTable table(file.text(), path.string());
  const size_t source = table.require(columns.source), target = table.require(columns.target);
  const OwnGraphColumns usual;
  const int type = find_column(table, columns.edge_type, usual.edge_type),
            weight = find_column(table, columns.weight, usual.weight);
  for (const std::string& column : table.columns()) {
    const int c = table.find(column);
    if (c == static_cast<int>(source) || c == static_cast<int>(target) || c == type || c == weight)
      continue;
    builder.note(fmt::format("{}: column {:?} is not used", path.filename().string(), column));
  }
  while (table.next()) {
    const CsvReader& row = table.row();
    const int32_t from = node_of(table, source, columns.source, add_nodes, builder);
    const int32_t to = node_of(table, target, columns.target, add_nodes, builder);
    const std::string_view relation = type < 0 ? "edge" : field_or_empty(table, type);
    if (relation.empty())
      row.fail(static_cast<size_t>(type), columns.edge_type, "an edge without a type");
    float w = 1.0F;
    if (weight >= 0) {
      w = finite_float(row, static_cast<size_t>(weight), columns.weight);
      if (w <= 0) row.fail(static_cast<size_t>(weight), columns.weight, "a weight must be above 0");
    }
    builder.add_edge(builder.relations.add(relation), from, to, w);
  }
}

void check_rows(int32_t num_rows, size_t num_nodes, const std::string& file) {
  if (static_cast<size_t>(num_rows) != num_nodes)
    throw DataError(fmt::format("{}: {} rows for {} nodes", file, num_rows, num_nodes));
}

// A header alone must not ask for gigabytes. An entry has at least four bytes and two indices: in
// such a matrix most rows or columns would be empty.
void check_extent(int32_t extent, size_t bytes, const std::string& file) {
  constexpr size_t kAlways = 1'000'000;
  if (static_cast<size_t>(extent) > std::max(kAlways, bytes)) {
    throw DataError(fmt::format("{}: {} rows or columns are too many for a file of {} bytes", file,
                                extent, bytes));
  }
}

void read_adjacency(const fs::path& path, bool add_nodes, GraphBuilder& builder) {
  const std::string text = read_file(path);
  const MatrixMarket matrix = parse_matrix_market(text, path.string());
  if (matrix.num_rows != matrix.num_cols)
    throw DataError(fmt::format("{}: an adjacency matrix is square", path.string()));
  if (add_nodes) check_extent(matrix.num_rows, text.size(), path.string());
  for (int32_t i = 0; add_nodes && i < matrix.num_rows; ++i) {
    const std::string id = std::to_string(i);
    if (builder.add_node({.id = id})) builder.add_feature_row({}, false);
  }
  const size_t num_nodes = builder.nodes.size();
  check_rows(matrix.num_rows, num_nodes, path.string());
  const int32_t relation = builder.relations.add(path.stem().string());
  for (size_t k = 0; k < matrix.entries.row.size(); ++k) {
    const float w = matrix.entries.val.empty() ? 1.0F : matrix.entries.val[k];
    if (w <= 0)
      throw DataError(fmt::format("{}: entry {}: a weight must be above 0", path.string(), k + 1));
    builder.add_edge(relation, matrix.entries.row[k], matrix.entries.col[k], w);
  }
}

Features from_csr(Csr sparse) {
  Features features;
  features.num_rows = sparse.num_rows;
  features.num_cols = sparse.num_cols;
  features.sparse = std::move(sparse);
  return features;
}

// Rows and columns are counted from 0, as numpy does.
void check_finite(const Features& features, const std::string& where) {
  const Array<float>& values = features.dense;
  const auto* bad =
      std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (bad == values.end()) return;
  const int64_t at = bad - values.begin();
  throw DataError(fmt::format("{}: row {}, column {} (from 0): the value is not finite", where,
                              at / features.num_cols, at % features.num_cols));
}

// Numbers that are stored as they are needed stay in the file.
Features from_array(const NdArray& array, const std::string& where,
                    const std::shared_ptr<const MappedFile>& file = nullptr) {
  Features features;
  const auto* stored = reinterpret_cast<const float*>(array.bytes.data());
  const bool as_needed = file && array.dtype == DType::kF32 && !array.column_major &&
                         array.shape.size() == 2 &&
                         reinterpret_cast<uintptr_t>(stored) % alignof(float) == 0;
  if (as_needed) {
    features.dense = Array<float>::of({stored, static_cast<size_t>(array.num_elements())}, file);
  } else {
    features.dense = to_dense(array, where);
  }
  features.num_rows = static_cast<int32_t>(array.shape[0]);
  features.num_cols = static_cast<int32_t>(array.shape[1]);
  features.is_sparse = false;
  check_finite(features, where);
  return features;
}

Features read_features(const fs::path& path, size_t num_nodes) {
  const std::string file = path.string();
  const std::shared_ptr<const MappedFile> mapped = MappedFile::open(path);
  const std::string_view bytes = mapped->bytes();
  if (path.extension() == ".npy") return from_array(parse_npy(bytes, file), file, mapped);
  if (path.extension() == ".npz") {
    const Npz npz(bytes, file);
    if (!npz.format().empty()) return from_csr(to_csr(sparse_from_npz(npz), file));
    return from_array(npz.array("features"), npz.where("features"));
  }
  const MatrixMarket matrix = parse_matrix_market(bytes, file);
  if (matrix.symmetric)
    throw DataError(fmt::format("{}: a feature matrix must be stored as 'general'", file));
  check_rows(matrix.num_rows, num_nodes, file);
  check_extent(matrix.num_cols, bytes.size(), file);
  Csr csr = csr_from_coo(matrix.num_rows, matrix.num_cols, matrix.entries, Duplicates::kKeepFirst);
  if (csr.col.size() != matrix.entries.col.size())
    throw DataError(fmt::format("{}: an entry is stored twice", file));
  drop_unit_values(csr);
  return from_csr(std::move(csr));
}

std::vector<std::string> read_feature_names(const fs::path& path, int32_t num_cols) {
  const TextFile file(path);
  CsvTable table(file.text(), path.string());
  const size_t name = table.require("name");
  std::vector<std::string> names;
  while (table.next()) names.emplace_back(table.field(name));
  if (names.size() != static_cast<size_t>(num_cols)) {
    throw DataError(fmt::format("{}: {} names for {} columns of features", path.string(),
                                names.size(), num_cols));
  }
  return names;
}

Features read_matrix_of_nodes(const OwnGraphSources& sources, const GraphBuilder& builder) {
  const std::string file = sources.features.string();
  const size_t num_nodes = builder.nodes.size();
  Features features = read_features(sources.features, num_nodes);
  check_rows(features.num_rows, num_nodes, file);
  if (builder.has_feature_columns())
    throw DataError(fmt::format("{}: the node table has feature columns too", file));
  if (!sources.feature_names.empty())
    features.names = read_feature_names(sources.feature_names, features.num_cols);
  return features;
}

}  // namespace

std::vector<fs::path> OwnGraphSources::files() const {
  std::vector<fs::path> all = adjacency;
  for (const fs::path& path : {nodes, edges, features, feature_names, graphml}) {
    if (!path.empty()) all.push_back(path);
  }
  return all;
}

OwnGraphSources find_own_graph(const fs::path& directory) {
  OwnGraphSources found;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  const auto take = [&](fs::path& slot, const fs::path& path) {
    if (!slot.empty()) {
      throw DataError(fmt::format("{}: {} and {} say the same thing twice", directory.string(),
                                  slot.filename().string(), path.filename().string()));
    }
    slot = path;
  };
  for (const fs::path& path : paths) {
    const std::string extension = path.extension().string();
    const bool matrix = extension == ".mtx", array = extension == ".npy" || extension == ".npz";
    if (path.filename() == "nodes.csv") take(found.nodes, path);
    if (path.filename() == "edges.csv") take(found.edges, path);
    if (path.filename() == "feature_names.csv") take(found.feature_names, path);
    if (path.stem() == "features" && (matrix || array)) take(found.features, path);
    if (matrix && path.stem() != "features") found.adjacency.push_back(path);
    if (extension == ".graphml") take(found.graphml, path);
  }
  if (found.graphml.empty() && found.edges.empty() && found.adjacency.empty()) {
    throw DataError(fmt::format("{}: no edges.csv, no *.mtx and no *.graphml: not a graph",
                                directory.string()));
  }
  return found;
}

ParsedDataset load_own_graph(const OwnGraphSources& sources, const std::string& name) {
  kind_of_task(sources.task);  // a wrong word before a long read
  const int ways = (sources.graphml.empty() ? 0 : 1) + (sources.edges.empty() ? 0 : 1) +
                   (sources.adjacency.empty() ? 0 : 1);
  if (ways != 1 || (!sources.graphml.empty() && !sources.nodes.empty())) {
    throw DataError(
        fmt::format("{}: expected edges in exactly one form (edges.csv, *.mtx or one .graphml, "
                    "which has the nodes too)",
                    name));
  }
  GraphBuilder builder;
  const bool nodes_from_edges = sources.nodes.empty();
  if (!sources.nodes.empty()) read_nodes(sources.nodes, sources.columns, builder);
  if (!sources.graphml.empty()) read_graphml(sources.graphml, sources.columns, builder);
  if (!sources.edges.empty()) read_edges(sources.edges, sources.columns, nodes_from_edges, builder);
  for (const fs::path& path : sources.adjacency) read_adjacency(path, nodes_from_edges, builder);
  if (!sources.features.empty()) builder.set_features(read_matrix_of_nodes(sources, builder));
  if (sources.features.empty() && !sources.feature_names.empty()) {
    throw DataError(
        fmt::format("{}: there is no matrix of features to name", sources.feature_names.string()));
  }
  return builder.finish(
      name, sources.task,
      sources.directed_relations ? GraphBuilder::Reversed::kKeep : GraphBuilder::Reversed::kJoin);
}

}  // namespace emgnn
