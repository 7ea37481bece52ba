// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/match.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

using Names = std::vector<std::string>;
using Places = std::unordered_map<std::string, int64_t>;

Places places_of(const Names& names) {
  Places out;
  for (size_t i = 0; i < names.size(); ++i) out.emplace(names[i], static_cast<int64_t>(i));
  return out;
}

std::string list(const Names& names) {
  constexpr size_t kShown = 5;
  const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(kShown, names.size()));
  return fmt::format(
      "{}{}", fmt::join(names.begin(), end, ", "),
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

// Labels by the model's names; others are not known to it.
Labels matched_labels(const Labels& here, const DataSchema& schema) {
  Labels out{.kind = schema.labels, .num_rows = here.num_rows, .names = schema.label_names};
  const Places place = places_of(schema.label_names);
  const auto rows = static_cast<size_t>(here.num_rows);
  if (out.kind == LabelKind::kClasses) {
    out.cls.assign(rows, kNoLabel);
    for (size_t i = 0; i < rows && here.kind == LabelKind::kClasses; ++i) {
      if (here.cls[i] == kNoLabel) continue;
      const auto found = place.find(here.names[static_cast<size_t>(here.cls[i])]);
      if (found != place.end()) out.cls[i] = static_cast<int32_t>(found->second);
    }
    return out;
  }
  out.value.assign(rows * out.names.size(), std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < rows && here.kind == out.kind; ++i) {
    for (size_t c = 0; c < here.names.size(); ++c) {
      const auto found = place.find(here.names[c]);
      if (found != place.end())
        out.value[i * out.names.size() + static_cast<size_t>(found->second)] =
            here.value[i * here.names.size() + c];
    }
  }
  return out;
}

class Matcher {
 public:
  Matcher(const Dataset& from, const DataSchema& schema) : data_(from), schema_(schema) {}

  MatchedData run() {
    MatchedData out;
    match_edge_types();
    match_node_types();
    match_features();
    data_.labels = matched_labels(data_.labels, schema_);
    if (!data_.node_type.empty()) data_.predicted_types = schema_.node_types;
    out.node_row = schema_.node_names.empty() ? given_rows() : node_rows();
    out.other_node_types = std::move(other_node_types_);
    out.rows = rows_of_types(data_, schema_.node_types);
    if (out.rows.empty()) {
      throw UsageError(fmt::format("{} does not fit the model: it has no nodes of type {}",
                                   data_.name, list(schema_.node_types)));
    }
    out.notes = std::move(notes_);
    out.data = std::make_shared<Data>(std::move(data_));
    return out;
  }

 private:
  // Where each of the model's names is in the data. What is missing is an error, what is more a
  // note.
  std::vector<int64_t> places(const Names& model, const Names& here, const char* what) {
    const Places place = places_of(here);
    std::vector<int64_t> out;
    Names missing, extra;
    for (const std::string& name : model) {
      const auto found = place.find(name);
      found == place.end() ? missing.push_back(name) : out.push_back(found->second);
    }
    if (!missing.empty()) {
      throw UsageError(fmt::format("{} does not fit the model: it lacks the {} {}", data_.name,
                                   what, list(missing)));
    }
    const Places known = places_of(model);
    for (const std::string& name : here)
      if (!known.contains(name)) extra.push_back(name);
    if (!extra.empty())
      notes_.push_back(fmt::format("{}: the model does not know the {} {}: left out", data_.name,
                                   what, list(extra)));
    return out;
  }

  void match_edge_types() {
    Names here;
    for (const Relation& relation : data_.graph.relations) here.push_back(relation.name);
    if (here == schema_.edge_types) return;
    std::vector<Relation> ordered;
    for (int64_t at : places(schema_.edge_types, here, "edge types"))
      ordered.push_back(std::move(data_.graph.relations[static_cast<size_t>(at)]));
    data_.graph.relations = std::move(ordered);
  }

  // The model's types come first, in its order, whether there are such nodes here or not.
  void match_node_types() {
    if (schema_.all_node_types.empty()) return;
    if (data_.node_type.empty()) {
      other_node_types_ = "it does not say the types of its nodes";
      return;
    }
    Names names = schema_.all_node_types, extra;
    std::vector<int32_t> number;  // of each type here
    for (const std::string& name : data_.node_type_names) {
      const auto found = std::find(names.begin(), names.end(), name);
      number.push_back(static_cast<int32_t>(found - names.begin()));
      if (found != names.end()) continue;
      names.push_back(name);
      extra.push_back(name);
    }
    if (!extra.empty())
      other_node_types_ = fmt::format("the model does not know the node types {}", list(extra));
    for (int32_t& type : data_.node_type) type = number[static_cast<size_t>(type)];
    data_.node_type_names = std::move(names);
  }

  void match_features() {
    Features& x = data_.features;
    if (schema_.feature_names.empty() || x.names.empty()) {
      if (schema_.feature_names.empty() != x.names.empty() && schema_.num_features > 0 &&
          !schema_.feature_names.empty()) {
        throw UsageError(fmt::format(
            "{} does not fit the model: the model knows its features by name, and these columns "
            "have no names",
            data_.name));
      }
      if (schema_.num_features == 0 || x.num_cols == schema_.num_features) return;
      throw UsageError(fmt::format("{} does not fit the model: {} features there and {} here",
                                   data_.name, schema_.num_features, x.num_cols));
    }
    if (x.names == schema_.feature_names) return;
    const std::vector<int64_t> from = places(schema_.feature_names, x.names, "features");
    x.is_sparse ? reorder_sparse(from) : reorder_dense(from);
    x.names = schema_.feature_names;
    x.num_cols = static_cast<int32_t>(from.size());
  }

  void reorder_sparse(const std::vector<int64_t>& from) {
    Csr& a = data_.features.sparse;
    constexpr int32_t kLeftOut = -1;
    std::vector<int32_t> column(static_cast<size_t>(a.num_cols), kLeftOut);
    for (size_t c = 0; c < from.size(); ++c)
      column[static_cast<size_t>(from[c])] = static_cast<int32_t>(c);
    Coo entries;
    for (int32_t r = 0; r < a.num_rows; ++r) {
      for (int32_t e = a.rowptr[static_cast<size_t>(r)]; e < a.rowptr[static_cast<size_t>(r) + 1];
           ++e) {
        const int32_t to = column[static_cast<size_t>(a.col[static_cast<size_t>(e)])];
        if (to == kLeftOut) continue;
        entries.row.push_back(r);
        entries.col.push_back(to);
        entries.val.push_back(a.value(e));
      }
    }
    const bool ones = a.val.empty();
    a = csr_from_coo(a.num_rows, static_cast<int32_t>(from.size()), entries,
                     Duplicates::kKeepFirst);
    if (ones) a.val = {};
  }

  void reorder_dense(const std::vector<int64_t>& from) {
    Features& x = data_.features;
    std::vector<float> ordered;
    ordered.reserve(static_cast<size_t>(x.num_rows) * from.size());
    for (int32_t r = 0; r < x.num_rows; ++r) {
      const float* row = x.dense.data() + static_cast<int64_t>(r) * x.num_cols;
      for (int64_t c : from) ordered.push_back(row[c]);
    }
    x.dense = std::move(ordered);
  }

  // The first format does not name its nodes: they are those of the user's table, in its order.
  std::vector<int64_t> given_rows() const {
    std::vector<int64_t> out(data_.given_order.size());
    for (size_t i = 0; i < out.size(); ++i)
      out[static_cast<size_t>(data_.given_order[i])] = static_cast<int64_t>(i);
    return out;
  }

  std::vector<int64_t> node_rows() {
    const Places place = places_of(schema_.node_names);
    std::vector<int64_t> out;
    for (int32_t v = 0; v < data_.graph.num_nodes; ++v) {
      const auto found = place.find(data_.node_name(v));
      if (found == place.end()) {
        throw UsageError(fmt::format(
            "{} does not fit the model: it has weights for the nodes it was trained on, and {} is "
            "none of them",
            data_.name, data_.node_name(v)));
      }
      out.push_back(found->second);
    }
    return out;
  }

  Dataset data_;
  const DataSchema& schema_;
  Names notes_;
  std::string other_node_types_;
};

}  // namespace

MatchedData match(const Data& data, const DataSchema& schema) {
  const bool trained_on_graph = !schema.edge_types.empty();
  if (trained_on_graph != (data.graph() != nullptr)) {
    throw UsageError(
        fmt::format("{} does not fit the model: it is a {}, and the model was trained on a {}",
                    data.name(), trained_on_graph ? "table of molecules" : "graph",
                    trained_on_graph ? "graph" : "table of molecules"));
  }
  if (data.graph()) return Matcher(*data.graph(), schema).run();
  MoleculeTable table = *data.table();
  if (table.labels.num_rows == 0) table.labels.num_rows = table.num_molecules();
  table.labels = matched_labels(table.labels, schema);
  MatchedData out{.data = std::make_shared<Data>(
                      std::make_shared<const MoleculeTable>(std::move(table)), data.split())};
  out.rows = out.data->predicted_rows();
  return out;
}

}  // namespace emgnn
