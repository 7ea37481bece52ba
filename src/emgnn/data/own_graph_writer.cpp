// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/formats/csv.h>
#include <emgnn/formats/matrix_market.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

// The cell that is read back as this node's label. Of labels a separator follows even one name, or
// none, so that the cell is not taken for a class.
std::string label_cell(const Labels& labels, int64_t node) {
  if (!labels.known(node)) return "";
  if (labels.kind == LabelKind::kClasses)
    return labels.names[static_cast<size_t>(labels.cls[static_cast<size_t>(node)])];
  if (labels.kind == LabelKind::kValues) return fmt::format("{}", labels.at(node, 0));
  std::string cell;
  for (int32_t k = 0; k < labels.num_names(); ++k) {
    if (labels.at(node, k) == 1.0) cell += labels.names[static_cast<size_t>(k)] + ";";
  }
  return cell.empty() ? ";" : cell;
}

std::string nodes_csv(const ParsedDataset& parsed) {
  const Dataset& dataset = parsed.dataset;
  const bool typed = !dataset.node_type.empty(), split = !parsed.splits.empty();
  std::vector<const char*> part(static_cast<size_t>(dataset.graph.num_nodes), "");
  if (split) {
    const Split& first = parsed.splits.front().split;
    for (const int32_t id : first.train) part[static_cast<size_t>(id)] = "train";
    for (const int32_t id : first.validation) part[static_cast<size_t>(id)] = "validation";
    for (const int32_t id : first.test) part[static_cast<size_t>(id)] = "test";
  }
  std::string out = fmt::format("id{},label{}\n", typed ? ",type" : "", split ? ",split" : "");
  for (int32_t i = 0; i < dataset.graph.num_nodes; ++i) {
    check_stop();
    const auto at = static_cast<size_t>(i);
    out += csv_field(dataset.node_name(i));
    if (typed) {
      out += ",";
      out += csv_field(dataset.node_type_names[static_cast<size_t>(dataset.node_type[at])]);
    }
    out += "," + csv_field(label_cell(dataset.labels, i));
    if (split) out += fmt::format(",{}", part[at]);
    out += "\n";
  }
  return out;
}

// Each undirected edge once.
std::string edges_csv(const Dataset& dataset) {
  bool weighted = false;
  for (const Relation& relation : dataset.graph.relations)
    weighted |= !relation.adjacency.val.empty();
  std::string out = fmt::format("source,target,type{}\n", weighted ? ",weight" : "");
  for (const Relation& relation : dataset.graph.relations) {
    const Csr& a = relation.adjacency;
    const std::string type = csv_field(relation.name);
    for (int32_t r = 0; r < a.num_rows; ++r) {
      check_stop();
      for (int32_t k = a.rowptr[static_cast<size_t>(r)]; k < a.rowptr[static_cast<size_t>(r) + 1];
           ++k) {
        const int32_t c = a.col[static_cast<size_t>(k)];
        if (c < r) continue;
        out += fmt::format("{},{},{}", csv_field(dataset.node_name(r)),
                           csv_field(dataset.node_name(c)), type);
        if (weighted) out += fmt::format(",{}", a.value(k));
        out += "\n";
      }
    }
  }
  return out;
}

std::string feature_names_csv(const std::vector<std::string>& names) {
  std::string out = "name\n";
  // An empty line would be skipped.
  for (const std::string& name : names) out += (name.empty() ? "\"\"" : csv_field(name)) + "\n";
  return out;
}

std::string npy_header(const Features& features) {
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
                  features.num_rows, features.num_cols);
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string out("\x93NUMPY\x01\x00", 8);
  out.push_back(static_cast<char>(header.size() & 0xff));
  out.push_back(static_cast<char>(header.size() >> 8));
  return out + header;
}

// May be large, so a signal ends it halfway.
void write_pieces(const fs::path& path, std::initializer_list<std::string_view> pieces) {
  write_atomically(path, std::span(pieces.begin(), pieces.size()));
}

}  // namespace

void write_own_graph(const ParsedDataset& parsed, const fs::path& where) {
  const fs::path directory = where.has_filename() ? where : where.parent_path();  // "dir/"
  if (fs::exists(directory))
    throw UsageError(fmt::format("{}: exists already", directory.string()));
  fs::path temporary = directory;
  temporary += fmt::format(".{}.part", ::getpid());
  const Dataset& dataset = parsed.dataset;
  EMGNN_CHECK(dataset.labels.kind != LabelKind::kValues || dataset.labels.num_names() == 1,
              "a directory has one value per node", dataset.labels.num_names());
  try {
    fs::create_directories(temporary);
    write_pieces(temporary / "nodes.csv", {nodes_csv(parsed)});
    write_pieces(temporary / "edges.csv", {edges_csv(dataset)});
    if (!parsed.features_are_default && dataset.features.is_sparse) {
      write_pieces(temporary / "features.mtx", {write_matrix_market(dataset.features.sparse)});
    } else if (!parsed.features_are_default) {
      const Array<float>& x = dataset.features.dense;
      write_pieces(temporary / "features.npy",
                   {npy_header(dataset.features),
                    {reinterpret_cast<const char*>(x.data()), x.size() * sizeof(float)}});
    }
    if (!parsed.features_are_default && !dataset.features.names.empty()) {
      write_atomically(temporary / "feature_names.csv", feature_names_csv(dataset.features.names));
    }
    fs::rename(temporary, directory);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw DataError(fmt::format("{}: {}", directory.string(), error.code().message()));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw;
  }
}

}  // namespace emgnn
