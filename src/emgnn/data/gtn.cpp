// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/loaders.h>
#include <emgnn/formats/pickle.h>
#include <emgnn/formats/zip.h>

namespace emgnn {
namespace {

int32_t begin_of(const GtnLayout& layout, size_t type) {
  return type == 0 ? 0 : layout.types[type - 1].end;
}

bool same_pattern(const Csr& a, const Csr& b) { return a.rowptr == b.rowptr && a.col == b.col; }

// Every edge goes from a node of one type to a node of the other, and has weight one.
void check_relation(const Csr& a, const GtnLayout& layout,
                    const GtnLayout::RelationLayout& relation, const std::string& where) {
  const int32_t num_nodes = layout.types.back().end;
  if (a.num_rows != num_nodes || a.num_cols != num_nodes) {
    throw DataError(fmt::format("{}: expected {} x {}, found {} x {}", where, num_nodes, num_nodes,
                                a.num_rows, a.num_cols));
  }
  if (!a.val.empty())
    throw DataError(fmt::format("{}: expected a stored value of 1 for every edge", where));
  const auto inside = [&](int32_t node, size_t type) {
    return node >= begin_of(layout, type) && node < layout.types[type].end;
  };
  for (int32_t r = 0; r < a.num_rows; ++r) {
    for (int32_t k = a.rowptr[static_cast<size_t>(r)]; k < a.rowptr[static_cast<size_t>(r) + 1];
         ++k) {
      const int32_t c = a.col[static_cast<size_t>(k)];
      if (inside(r, relation.source) && inside(c, relation.target)) continue;
      throw DataError(fmt::format("{}: edge {} -> {} does not join a {} and a {}", where, r, c,
                                  layout.types[relation.source].name,
                                  layout.types[relation.target].name));
    }
  }
}

TypedGraph read_edges(const ZipReader& zip, const GtnLayout& layout) {
  const std::string bytes = zip.read("edges.pkl"), where = zip.file() + ": edges.pkl";
  const Pickle pickle = Pickle::parse(bytes, where);
  const PickleValue matrices = pickle.root();
  if (matrices.size() != 2 * layout.relations.size()) {
    throw DataError(fmt::format("{}: expected {} matrices, found {}", where,
                                2 * layout.relations.size(), matrices.size()));
  }
  TypedGraph graph{layout.types.back().end, {}};
  for (size_t i = 0; i < layout.relations.size(); ++i) {
    const std::string there = fmt::format("{}: matrix {}", where, 2 * i),
                      back = fmt::format("{}: matrix {}", where, 2 * i + 1);
    const Csr forward = to_csr(matrices[2 * i].sparse(), there);
    check_relation(forward, layout, layout.relations[i], there);
    if (!same_pattern(to_csr(matrices[2 * i + 1].sparse(), back), transpose(forward).csr)) {
      throw DataError(fmt::format("{}: not the transpose of the matrix before it", back));
    }
    graph.relations.push_back({layout.relations[i].name, symmetrise(forward)});
  }
  return graph;
}

// A sequence of (node, class) pairs: an array of two columns or a list of lists.
std::vector<int32_t> read_pairs(const PickleValue& part, const std::string& where) {
  if (part.kind() == PickleKind::kArray) {
    const NdArray& array = part.array();
    if (array.shape.size() != 2 || array.shape[1] != 2)
      throw DataError(fmt::format("{}: expected two columns", where));
    return to_int32_matrix(array, where);
  }
  std::vector<int32_t> pairs;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i].size() != 2)
      throw DataError(fmt::format("{}: item {}: expected a node and its class", where, i));
    for (size_t k : {0, 1})
      pairs.push_back(static_cast<int32_t>(part[i][k].integer()));  // 32 bits in the file too
  }
  return pairs;
}

Split read_labels(std::string_view bytes, const std::string& where, const GtnLayout& layout,
                  std::vector<int32_t>& label) {
  const Pickle pickle = Pickle::parse(bytes, where);
  const PickleValue parts = pickle.root();
  if (parts.size() != 3)
    throw DataError(fmt::format("{}: expected training, validation and test parts", where));
  Split split;
  std::vector<bool> used(label.size(), false);
  std::vector<int32_t>* ids[] = {&split.train, &split.validation, &split.test};
  for (size_t p = 0; p < 3; ++p) {
    const std::vector<int32_t> pairs = read_pairs(parts[p], where);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      const int32_t node = pairs[i], cls = pairs[i + 1];
      if (node < begin_of(layout, layout.labelled_type) ||
          node >= layout.types[layout.labelled_type].end || cls < 0 || cls >= layout.num_classes ||
          used[static_cast<size_t>(node)]) {
        throw DataError(fmt::format(
            "{}: node {} with class {}: expected a {}, once, and a class below {}", where, node,
            cls, layout.types[layout.labelled_type].name, layout.num_classes));
      }
      int32_t& known = label[static_cast<size_t>(node)];
      if (known != kNoLabel && known != cls) {
        throw DataError(fmt::format("{}: node {} has class {}, but {} in another split", where,
                                    node, cls, known));
      }
      known = cls;
      used[static_cast<size_t>(node)] = true;
      ids[p]->push_back(node);
    }
  }
  return split;
}

Csr read_features(const ZipReader& zip) {
  const std::string bytes = zip.read("node_features.pkl"),
                    where = zip.file() + ": node_features.pkl";
  return dense_to_csr(Pickle::parse(bytes, where).root().array(), where);
}

}  // namespace

ParsedDataset load_gtn(const SourceFiles& files, const GtnLayout& layout) {
  const SourceFile file = files.read(layout.zip);
  const ZipReader zip(file.bytes, file.path);
  ParsedDataset parsed;
  Dataset& dataset = parsed.dataset;
  dataset.graph = read_edges(zip, layout);
  dataset.features.sparse = read_features(zip);
  dataset.features.num_rows = dataset.features.sparse.num_rows;
  dataset.features.num_cols = dataset.features.sparse.num_cols;
  dataset.labels = unknown_classes(dataset.graph.num_nodes, numbered_names(layout.num_classes));
  for (size_t t = 0; t < layout.types.size(); ++t) {
    dataset.node_type_names.push_back(layout.types[t].name);
    dataset.node_type.resize(static_cast<size_t>(layout.types[t].end), static_cast<int32_t>(t));
  }
  for (const GtnLayout::LabelFile& labels : layout.labels) {
    const SourceFile source = labels.path.empty()
                                  ? SourceFile{zip.file() + ": labels.pkl", zip.read("labels.pkl")}
                                  : files.read(labels.path);
    parsed.splits.push_back(
        {labels.split, read_labels(source.bytes, source.path, layout, dataset.labels.cls)});
  }
  return parsed;
}

}  // namespace emgnn
