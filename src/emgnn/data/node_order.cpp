// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/node_order.h>

#include <algorithm>
#include <utility>

#include <emgnn/data/name_table.h>

namespace emgnn {
namespace {

// from[i] is the old number of the new i-th node, to[] the inverse.
struct Renumbering {
  std::vector<int32_t> from, to;
};

Renumbering by_id(const std::vector<std::string>& ids) {
  Renumbering out{{}, std::vector<int32_t>(ids.size())};
  out.from.reserve(ids.size());
  for (const size_t node : sorted_order(ids)) {
    out.to[node] = static_cast<int32_t>(out.from.size());
    out.from.push_back(static_cast<int32_t>(node));
  }
  return out;
}

template <class Value>
void permute(std::vector<Value>& values, const Renumbering& order) {
  if (values.empty()) return;
  std::vector<Value> out;
  out.reserve(values.size());
  for (const int32_t node : order.from) out.push_back(std::move(values[static_cast<size_t>(node)]));
  values = std::move(out);
}

// P A Pᵀ: rows in the new order, and columns by their new number.
void permute(Csr& a, const Renumbering& order) {
  Csr rows = select_rows(a, order.from);
  for (int32_t& col : rows.col) col = order.to[static_cast<size_t>(col)];
  a = transpose(transpose(rows).csr).csr;  // sorts the columns of each row
}

void permute(Features& features, const Renumbering& order) {
  if (features.is_sparse) {
    features.sparse = select_rows(features.sparse, order.from);
    return;
  }
  const auto width = static_cast<size_t>(features.num_cols);
  std::vector<float> out;
  out.reserve(features.dense.size());
  for (const int32_t node : order.from) {
    const float* row = features.dense.data() + static_cast<size_t>(node) * width;
    out.insert(out.end(), row, row + width);
  }
  features.dense = std::move(out);
}

void renumber(std::vector<int32_t>& nodes, const Renumbering& order) {
  for (int32_t& node : nodes) node = order.to[static_cast<size_t>(node)];
  std::sort(nodes.begin(), nodes.end());
}

// Names that are the numbers of their nodes are not kept.
void drop_plain_names(std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] != std::to_string(i)) return;
  names = {};
}

}  // namespace

void sort_nodes(ParsedDataset& parsed) {
  Dataset& dataset = parsed.dataset;
  if (dataset.node_names.empty()) return;  // 0, 1, 2, .. already
  const Renumbering order = by_id(dataset.node_names);
  if (std::is_sorted(order.from.begin(), order.from.end())) return;
  for (Relation& relation : dataset.graph.relations) permute(relation.adjacency, order);
  permute(dataset.features, order);
  dataset.labels =
      dataset.labels.select(std::vector<int64_t>(order.from.begin(), order.from.end()));
  permute(dataset.node_names, order);
  permute(dataset.node_type, order);
  for (NamedSplit& named : parsed.splits) {
    for (auto* part : {&named.split.train, &named.split.validation, &named.split.test})
      renumber(*part, order);
  }
  dataset.given_order = order.to;
  drop_plain_names(dataset.node_names);
}

}  // namespace emgnn
