// SPDX-License-Identifier: Apache-2.0
// payload of archive.h = key, then every field in the order of the `archive` functions below
#include <emgnn/base/error.h>
#include <emgnn/data/cache.h>
#include <emgnn/formats/archive.h>

namespace emgnn {
namespace {

constexpr std::string_view kMagic = "EMGNNC03";  // a new number for every change of the layout

}  // namespace

template <class A>
void archive(A& a, Csr& m) {
  archive_all(a, m.num_rows, m.num_cols, m.rowptr, m.col, m.val);
}

template <class A>
void archive(A& a, Relation& relation) {
  archive_all(a, relation.name, relation.adjacency);
}

template <class A>
void archive(A& a, Features& x) {
  archive_all(a, x.num_rows, x.num_cols, x.is_sparse, x.sparse, x.dense, x.names);
}

template <class A>
void archive(A& a, Labels& labels) {
  archive_all(a, labels.kind, labels.num_rows, labels.names, labels.cls, labels.value);
}

template <class A>
void archive(A& a, Split& split) {
  archive_all(a, split.train, split.validation, split.test);
}

template <class A>
void archive(A& a, NamedSplit& named) {
  archive_all(a, named.name, named.split);
}

template <class A>
void archive(A& a, EdgeChange& change) {
  archive_all(a, change.pair.u, change.pair.v, change.added);
}

template <class A>
void archive(A& a, Dataset& d) {
  archive_all(a, d.name, d.graph.num_nodes, d.graph.relations, d.features, d.labels, d.split,
              d.node_names, d.given_order, d.node_type_names, d.node_type, d.perturbation);
}

template <class A>
void archive(A& a, ParsedDataset& p) {
  archive_all(a, p.dataset, p.splits, p.num_duplicates, p.num_self_loops, p.features_are_default,
              p.notes);
}

std::string serialise(const ParsedDataset& parsed, std::string_view key) {
  ArchiveWriter writer;
  std::string key_text(key);
  archive(writer, key_text);
  archive(writer, const_cast<ParsedDataset&>(parsed));  // a writer only looks
  return sealed(kMagic, writer.take());
}

std::optional<ParsedDataset> deserialise(std::string_view bytes, std::string_view key) {
  const auto payload = unsealed(kMagic, bytes);
  if (!payload) return std::nullopt;
  try {
    ArchiveReader reader(*payload);
    std::string made_from;
    archive(reader, made_from);
    if (made_from != key) return std::nullopt;
    ParsedDataset parsed;
    archive(reader, parsed);
    return reader.at_end() ? std::optional(std::move(parsed)) : std::nullopt;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace emgnn
