// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/data.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace emgnn {

const char* name_of(DataKind kind) { return kind == DataKind::kGraph ? "graph" : "molecules"; }

Data::Data(Dataset graph) : graph_(std::make_shared<const Dataset>(std::move(graph))) {
  predicted_rows_ = rows_of_types(*graph_, labelled_types(*graph_));
}

Data::Data(std::shared_ptr<const MoleculeTable> table, Split split)
    : table_(std::move(table)), split_(std::move(split)) {
  predicted_rows_.resize(static_cast<size_t>(table_->num_molecules()));
  std::iota(predicted_rows_.begin(), predicted_rows_.end(), 0);
}

const std::string& Data::name() const { return graph_ ? graph_->name : table_->name; }

int64_t Data::num_rows() const {
  return graph_ ? graph_->graph.num_nodes : table_->num_molecules();
}

int64_t Data::num_features() const { return graph_ ? graph_->features.num_cols : kNumAtomFeatures; }

std::string Data::row_name(int32_t row) const {
  return graph_ ? graph_->node_name(row) : std::to_string(table_->row[static_cast<size_t>(row)]);
}

std::vector<std::string> labelled_types(const Dataset& dataset) {
  if (!dataset.predicted_types.empty()) return dataset.predicted_types;
  std::set<int32_t> types;
  for (size_t v = 0; v < dataset.node_type.size(); ++v)
    if (dataset.labels.known(static_cast<int64_t>(v))) types.insert(dataset.node_type[v]);
  std::vector<std::string> names;
  for (int32_t type : types) names.push_back(dataset.node_type_names[static_cast<size_t>(type)]);
  return names;
}

std::vector<int32_t> rows_of_types(const Dataset& dataset, const std::vector<std::string>& types) {
  std::vector<int32_t> rows;
  for (int32_t v = 0; v < dataset.graph.num_nodes; ++v) {
    const auto is = [&](const std::string& type) {
      const int32_t own = dataset.node_type[static_cast<size_t>(v)];
      return dataset.node_type_names[static_cast<size_t>(own)] == type;
    };
    if (types.empty() || dataset.node_type.empty() || std::any_of(types.begin(), types.end(), is))
      rows.push_back(v);
  }
  return rows;
}

}  // namespace emgnn
