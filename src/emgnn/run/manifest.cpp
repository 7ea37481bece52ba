// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/manifest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/utf8.h>
#include <emgnn/base/version.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

#if defined(__clang__)
constexpr const char* kCompiler = "Clang " __clang_version__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

// A digest of digests, so that no second copy of the data is made.
class Fingerprint {
 public:
  template <class Number>
  void add(const std::vector<Number>& values) {
    add_bytes({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)});
  }
  template <class Number>
  void add(const Array<Number>& values) {
    add_bytes({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)});
  }
  void add(const Csr& matrix) {
    add(std::vector<int32_t>{matrix.num_rows, matrix.num_cols});
    add(matrix.rowptr);
    add(matrix.col);
    add(matrix.val);
  }
  void add(const Labels& labels) {
    add_bytes(name_of(labels.kind));
    for (const std::string& name : labels.names) add_bytes(name);
    add(labels.cls);
    add(labels.value);
  }
  void add(const Split& split) {
    add(split.train);
    add(split.validation);
    add(split.test);
  }
  void add_bytes(std::string_view bytes) { digests_ += sha256_hex(bytes); }
  std::string digest() const { return sha256_hex(digests_); }

 private:
  std::string digests_;
};

Json sizes(const Split& split) {
  return {{"train", split.train.size()},
          {"validation", split.validation.size()},
          {"test", split.test.size()}};
}

std::string graph_fingerprint(const Dataset& dataset) {
  Fingerprint print;
  for (const Relation& relation : dataset.graph.relations) {
    print.add_bytes(relation.name);
    print.add(relation.adjacency);
  }
  print.add(dataset.features.sparse);
  print.add(dataset.features.dense);
  print.add(dataset.labels);
  print.add(dataset.split);
  return print.digest();
}

std::string table_fingerprint(const MoleculeTable& table, const Split& split) {
  const Molecules& m = table.molecules;
  Fingerprint print;
  print.add(m.atom_begin);
  print.add(m.atom_features);
  print.add(m.bond_begin);
  print.add(m.bond_atoms);
  print.add(m.coordinates);
  print.add(table.row);
  print.add(table.labels);
  print.add(split);
  return print.digest();
}

void check_names(const std::vector<std::string>& names, const char* what,
                 const std::string& dataset) {
  for (const std::string& name : names) {
    if (first_invalid_utf8(name))
      throw DataError(fmt::format("{}: the name of {} is not UTF-8: {:?}", dataset, what, name));
  }
}

}  // namespace

std::string fingerprint(const Data& data) {
  return data.graph() ? graph_fingerprint(*data.graph())
                      : table_fingerprint(*data.table(), data.split());
}

Json describe_data(const Data& data) {
  Json out = {{"name", data.name()}, {"task", name_of(data.labels().kind)}};
  if (data.graph()) {
    Json edges = Json::object();
    for (const Relation& relation : data.graph()->graph.relations) {
      const Csr& a = relation.adjacency;
      edges[relation.name] = is_symmetric(a) ? a.num_entries() / 2 : a.num_entries();
    }
    out["nodes"] = data.num_rows();
    out["edges"] = edges;
    out["features"] = data.num_features();
    out["classes"] = data.labels().names.size();
  } else {
    out["molecules"] = data.num_rows();
    out["rejects"] = data.table()->rejects.size();
    out["targets"] = data.labels().names;
  }
  out["splits"] = sizes(data.split());
  out["sha256"] = fingerprint(data);
  return out;
}

void check_names(const Data& data) {
  check_names(data.labels().names, "a class, label or target", data.name());
  if (!data.graph()) return;
  const Dataset& graph = *data.graph();
  for (const Relation& relation : graph.graph.relations)
    check_names({relation.name}, "an edge type", data.name());
  check_names(graph.node_type_names, "a type of nodes", data.name());
  check_names(graph.features.names, "a feature", data.name());
  check_names(graph.node_names, "a node", data.name());
}

Json describe_program(const Context& context) {
  return {{"emgnn", version()},
          {"commit", version_commit()},
          {"compiler", kCompiler},
          {"device", to_string(context.device())},
          {"threads", context.threads()}};
}

}  // namespace emgnn
