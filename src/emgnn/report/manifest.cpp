// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/manifest.h>

#include <torch/version.h>

#include <nlohmann/json.hpp>
#include <vector>

#include <emgnn/base/threads.h>
#include <emgnn/base/version.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

// A digest of digests, so that no second copy of the data is made.
class Fingerprint {
 public:
  template <class Number>
  void add(const std::vector<Number>& values) {
    add_bytes({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)});
  }
  void add(const Csr& matrix) {
    add(std::vector<int32_t>{matrix.num_rows, matrix.num_cols});
    add(matrix.rowptr);
    add(matrix.col);
    add(matrix.val);
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

}  // namespace

std::string fingerprint(const Dataset& dataset) {
  Fingerprint print;
  for (const Relation& relation : dataset.graph.relations) {
    print.add_bytes(relation.name);
    print.add(relation.adjacency);
  }
  print.add(dataset.features.sparse);
  print.add(dataset.features.dense);
  print.add(dataset.label);
  print.add(dataset.split);
  return print.digest();
}

Json describe_data(const Dataset& dataset) {
  Json edges = Json::object();
  for (const Relation& relation : dataset.graph.relations) {
    const Csr& a = relation.adjacency;
    edges[relation.name] = is_symmetric(a) ? a.num_entries() / 2 : a.num_entries();
  }
  return {{"name", dataset.name},
          {"nodes", dataset.graph.num_nodes},
          {"edges", edges},
          {"features", dataset.features.num_cols},
          {"classes", dataset.num_classes()},
          {"splits", sizes(dataset.split)},
          {"sha256", fingerprint(dataset)}};
}

std::string fingerprint(const MoleculeTable& table, const Split& split) {
  const Molecules& m = table.molecules;
  Fingerprint print;
  print.add(m.atom_begin);
  print.add(m.atom_features);
  print.add(m.bond_begin);
  print.add(m.bond_atoms);
  print.add(m.coordinates);
  print.add(table.row);
  print.add(table.target);
  print.add(split);
  return print.digest();
}

Json describe_data(const MoleculeTable& table, const Split& split) {
  return {{"name", table.name},
          {"molecules", table.num_molecules()},
          {"rejects", table.rejects.size()},
          {"target", table.target_name},
          {"splits", sizes(split)},
          {"sha256", fingerprint(table, split)}};
}

Json describe_program() {
  return {{"emgnn", version()},
          {"commit", version_commit()},
          {"compiler", "GCC " __VERSION__},
          {"libtorch", TORCH_VERSION},
          {"device", "cpu"},
          {"threads", num_threads()}};
}

}  // namespace emgnn
