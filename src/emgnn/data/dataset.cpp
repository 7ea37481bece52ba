// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/dataset.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

[[noreturn]] void fail(const Dataset& dataset, const std::string& what) {
  throw DataError(fmt::format("dataset {}: {}", dataset.name, what));
}

void check_csr(const Dataset& dataset, const Csr& a, const std::string& what) {
  const bool shaped = a.rowptr.size() == static_cast<size_t>(a.num_rows) + 1 &&
                      a.rowptr.front() == 0 && std::is_sorted(a.rowptr.begin(), a.rowptr.end()) &&
                      static_cast<size_t>(a.rowptr.back()) == a.col.size() &&
                      (a.val.empty() || a.val.size() == a.col.size());
  if (!shaped) fail(dataset, what + ": the row offsets do not fit the entries");
  for (size_t r = 0; r + 1 < a.rowptr.size(); ++r) {
    for (int32_t k = a.rowptr[r]; k < a.rowptr[r + 1]; ++k) {
      const int32_t c = a.col[static_cast<size_t>(k)];
      if (c < 0 || c >= a.num_cols || (k > a.rowptr[r] && c <= a.col[static_cast<size_t>(k) - 1])) {
        fail(dataset,
             fmt::format("{}: row {}: columns must ascend within 0..{}", what, r, a.num_cols - 1));
      }
    }
  }
}

void check_graph(const Dataset& dataset) {
  if (dataset.graph.relations.empty()) fail(dataset, "no relation");
  std::set<std::string> names;
  for (const Relation& relation : dataset.graph.relations) {
    const std::string what = "relation " + relation.name;
    const Csr& a = relation.adjacency;
    if (!names.insert(relation.name).second) fail(dataset, what + ": a second one of this name");
    if (a.num_rows != dataset.graph.num_nodes || a.num_cols != dataset.graph.num_nodes) {
      fail(dataset, fmt::format("{}: expected {} rows and columns", what, dataset.graph.num_nodes));
    }
    check_csr(dataset, a, what);
    for (int32_t r = 0; r < a.num_rows; ++r) {
      const auto row = static_cast<size_t>(r);
      if (std::binary_search(a.col.begin() + a.rowptr[row], a.col.begin() + a.rowptr[row + 1], r)) {
        fail(dataset, fmt::format("{}: node {} has a self loop", what, r));
      }
    }
  }
}

void check_features(const Dataset& dataset) {
  const Features& x = dataset.features;
  if (x.num_rows != dataset.graph.num_nodes) {
    fail(dataset, fmt::format("{} feature rows for {} nodes", x.num_rows, dataset.graph.num_nodes));
  }
  if (x.num_cols < 1) fail(dataset, "features: there is no column");
  if (x.is_sparse) {
    if (x.sparse.num_rows != x.num_rows || x.sparse.num_cols != x.num_cols)
      fail(dataset, "features: shapes differ");
    check_csr(dataset, x.sparse, "features");
  } else if (x.dense.size() != static_cast<size_t>(x.num_rows) * static_cast<size_t>(x.num_cols)) {
    fail(dataset, "features: expected rows x columns values");
  }
  const Array<float>& values = x.is_sparse ? x.sparse.val : x.dense;
  if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
    fail(dataset, "features: a value is not finite");
  }
  if (!x.names.empty() && x.names.size() != static_cast<size_t>(x.num_cols))
    fail(dataset, fmt::format("features: {} names for {} columns", x.names.size(), x.num_cols));
}

void check_split(const Dataset& dataset) {
  std::vector<bool> used(static_cast<size_t>(dataset.graph.num_nodes), false);
  const std::pair<const char*, const std::vector<int32_t>*> parts[] = {
      {"training", &dataset.split.train},
      {"validation", &dataset.split.validation},
      {"test", &dataset.split.test}};
  for (const auto& [name, ids] : parts) {
    if (ids->empty()) fail(dataset, fmt::format("the {} part is empty", name));
    for (const int32_t id : *ids) {
      if (id < 0 || id >= dataset.graph.num_nodes || !dataset.labels.known(id)) {
        fail(dataset, fmt::format("the {} part names node {}, which has no label", name, id));
      }
      if (used[static_cast<size_t>(id)])
        fail(dataset, fmt::format("node {} is in two parts of the split", id));
      used[static_cast<size_t>(id)] = true;
    }
  }
}

}  // namespace

void check_without_split(const Dataset& dataset) {
  const auto num_nodes = static_cast<size_t>(dataset.graph.num_nodes);
  check_graph(dataset);
  check_features(dataset);
  if (dataset.labels.num_rows != dataset.graph.num_nodes)
    fail(dataset, "expected a label or none for every node");
  check(dataset.labels, fmt::format("dataset {}", dataset.name));
  if (!dataset.node_names.empty() && dataset.node_names.size() != num_nodes)
    fail(dataset, "a node without a name");
  if (!dataset.node_type.empty() && dataset.node_type.size() != num_nodes)
    fail(dataset, "a node without a type");
  for (const int32_t type : dataset.node_type) {
    if (type < 0 || static_cast<size_t>(type) >= dataset.node_type_names.size()) {
      fail(dataset, fmt::format("node type {} has no name", type));
    }
  }
}

void check(const Dataset& dataset) {
  check_without_split(dataset);
  check_split(dataset);
}

}  // namespace emgnn
