// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/loaders.h>
#include <emgnn/formats/csv.h>
#include <emgnn/formats/npy.h>

namespace emgnn {
namespace {

constexpr int kNumSplits = 10;

// id <TAB> 0,1,0,... <TAB> class, ids 0, 1, 2, ... in order
void read_nodes(const SourceFile& file, Dataset& dataset) {
  CsvTable table(file.bytes, file.path, '\t');
  table.require("node_id");
  const size_t feature = table.require("feature"), label = table.require("label");
  Csr& features = dataset.features.sparse;
  int32_t num_classes = 0;
  while (table.next()) {
    if (table.row().integer(0, "node_id") != features.num_rows) {
      table.row().fail(0, "node_id", fmt::format("expected node {}", features.num_rows));
    }
    const std::string_view bits = table.field(feature);
    const auto num_cols = static_cast<int32_t>((bits.size() + 1) / 2);
    if (features.num_rows == 0) features.num_cols = num_cols;
    if (num_cols != features.num_cols) {
      table.row().fail(feature, "feature", fmt::format("expected {} numbers", features.num_cols));
    }
    for (size_t i = 0; i < bits.size(); ++i) {
      const bool digit = i % 2 == 0;
      if (digit ? bits[i] != '0' && bits[i] != '1' : bits[i] != ',') {
        table.row().fail(feature, "feature", "expected 0 or 1, separated by commas");
      }
      if (bits[i] == '1') features.col.push_back(static_cast<int32_t>(i / 2));
    }
    features.rowptr.push_back(static_cast<int32_t>(features.col.size()));
    ++features.num_rows;
    const int64_t cls = table.row().integer(label, "label");
    if (cls < 0 || cls > 1000) table.row().fail(label, "label", "expected a class 0, 1, 2, ...");
    dataset.labels.cls.push_back(static_cast<int32_t>(cls));
    num_classes = std::max(num_classes, static_cast<int32_t>(cls) + 1);
  }
  if (!file.bytes.ends_with('\n')) table.row().fail("expected a line feed at the end of the file");
  dataset.features.num_rows = features.num_rows;
  dataset.features.num_cols = features.num_cols;
  dataset.labels.kind = LabelKind::kClasses;
  dataset.labels.num_rows = features.num_rows;
  dataset.labels.names = numbered_names(num_classes);
}

void read_links(const SourceFile& file, ParsedDataset& parsed) {
  const int32_t num_nodes = parsed.dataset.features.num_rows;
  CsvReader reader(file.bytes, file.path, '\t');
  if (!reader.next() || reader.fields().size() != 2 || reader.fields()[0] != "node_id") {
    reader.fail("expected the two column names node_id and node_id");
  }
  Coo edges;
  while (reader.next()) {
    if (reader.fields().size() != 2) reader.fail("expected two node ids");
    const int64_t source = reader.integer(0, "node_id"), target = reader.integer(1, "node_id");
    if (std::min(source, target) < 0 || std::max(source, target) >= num_nodes) {
      reader.fail(fmt::format("a node outside 0..{}", num_nodes - 1));
    }
    parsed.num_self_loops += source == target ? 1 : 0;
    if (source == target) continue;
    edges.row.push_back(static_cast<int32_t>(source));
    edges.col.push_back(static_cast<int32_t>(target));
  }
  if (!file.bytes.ends_with('\n')) reader.fail("expected a line feed at the end of the file");
  const Csr links = csr_from_coo(num_nodes, num_nodes, edges, Duplicates::kKeepFirst);
  parsed.num_duplicates = static_cast<int64_t>(edges.row.size()) - links.num_entries();
  parsed.dataset.graph = {num_nodes, {{"link", symmetrise(links)}}};
}

std::vector<int32_t> read_mask(const Npz& npz, const std::string& name, std::vector<int>& uses) {
  const std::vector<int32_t> mask = to_int32(npz.array(name), npz.where(name));
  if (mask.size() != uses.size()) {
    throw DataError(
        fmt::format("{}: expected {} values, found {}", npz.where(name), uses.size(), mask.size()));
  }
  std::vector<int32_t> ids;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0 && mask[i] != 1)
      throw DataError(fmt::format("{}: expected zeros and ones", npz.where(name)));
    uses[i] += mask[i];
    if (mask[i] == 1) ids.push_back(static_cast<int32_t>(i));
  }
  return ids;
}

Split read_split(const SourceFile& file, int32_t num_nodes) {
  const Npz npz(file.bytes, file.path);
  std::vector<int> uses(static_cast<size_t>(num_nodes), 0);
  Split split;
  split.train = read_mask(npz, "train_mask", uses);
  split.validation = read_mask(npz, "val_mask", uses);
  split.test = read_mask(npz, "test_mask", uses);
  if (std::any_of(uses.begin(), uses.end(), [](int n) { return n != 1; })) {
    throw DataError(
        fmt::format("{}: the three masks do not put every node in one part", file.path));
  }
  return split;
}

}  // namespace

ParsedDataset load_geom_gcn(const SourceFiles& files, const std::string& directory,
                            const std::string& split_set) {
  const std::string base = "geom-gcn/" + directory;
  ParsedDataset parsed;
  read_nodes(files.read(base + "/out1_node_feature_label.txt"), parsed.dataset);
  read_links(files.read(base + "/out1_graph_edges.txt"), parsed);
  for (int i = 0; i < kNumSplits; ++i) {
    const SourceFile file =
        files.read(fmt::format("geom-gcn/splits/{}_split_0.6_0.2_{}.npz", split_set, i));
    parsed.splits.push_back(
        {fmt::format("geom-gcn:{}", i), read_split(file, parsed.dataset.graph.num_nodes)});
  }
  return parsed;
}

}  // namespace emgnn
