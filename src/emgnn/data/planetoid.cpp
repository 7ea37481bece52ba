// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/data/loaders.h>
#include <emgnn/data/pubmed_presence.h>
#include <emgnn/formats/pickle.h>

namespace emgnn {
namespace {

constexpr int32_t kNumValidation = 500;

std::string part(const std::string& set, const char* name) {
  return "planetoid/ind." + set + "." + name;
}

Csr read_matrix(const SourceFiles& files, const std::string& path) {
  const SourceFile file = files.read(path);
  return to_csr(Pickle::parse(file.bytes, file.path).root().sparse(), file.path);
}

struct OneHot {
  std::vector<int32_t> label;
  int32_t num_classes;
};

OneHot read_labels(const SourceFiles& files, const std::string& path) {
  const SourceFile file = files.read(path);
  const Pickle pickle = Pickle::parse(file.bytes, file.path);
  const NdArray& array = pickle.root().array();
  std::vector<int32_t> label = one_hot_to_class(array, file.path);
  return {std::move(label), static_cast<int32_t>(array.shape[1])};
}

// One decimal id a line.
std::vector<int32_t> read_test_ids(const SourceFiles& files, const std::string& path,
                                   int32_t first_id) {
  const SourceFile file = files.read(path);
  std::vector<int32_t> ids;
  const char* at = file.bytes.data();
  const char* end = at + file.bytes.size();
  while (at != end) {
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(at, end, id);
    if (error != std::errc{} || stop == end || *stop != '\n' || id < first_id) {
      throw DataError(fmt::format("{}: line {}: expected a node id of at least {} and a line feed",
                                  file.path, ids.size() + 1, first_id));
    }
    ids.push_back(id);
    at = stop + 1;
  }
  std::vector<int32_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  if (ids.empty() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw DataError(fmt::format("{}: expected at least one id, and each only once", file.path));
  }
  return ids;
}

int32_t node_id(const PickleValue& value, int32_t num_nodes, const std::string& file) {
  const int64_t id = value.integer();
  if (id < 0 || id >= num_nodes) {
    throw DataError(fmt::format("{}: node {} is outside 0..{}", file, id, num_nodes - 1));
  }
  return static_cast<int32_t>(id);
}

// Neighbour lists by node id. They name some neighbours twice and some nodes themselves.
void read_graph(const SourceFiles& files, const std::string& path, int32_t num_nodes,
                ParsedDataset& parsed) {
  const SourceFile file = files.read(path);
  const Pickle pickle = Pickle::parse(file.bytes, file.path);
  const PickleValue lists = pickle.root();
  if (lists.kind() != PickleKind::kDict || lists.size() != static_cast<size_t>(num_nodes)) {
    throw DataError(
        fmt::format("{}: expected a dict with a list for each of {} nodes", file.path, num_nodes));
  }
  Coo edges;
  std::vector<bool> seen(static_cast<size_t>(num_nodes), false);
  for (size_t i = 0; i < lists.size(); ++i) {
    const auto [key, neighbours] = lists.pair(i);
    const int32_t node = node_id(key, num_nodes, file.path);
    if (seen[static_cast<size_t>(node)])
      throw DataError(fmt::format("{}: node {} has two lists", file.path, node));
    seen[static_cast<size_t>(node)] = true;
    bool self_loop = false;
    for (size_t k = 0; k < neighbours.size(); ++k) {
      const int32_t other = node_id(neighbours[k], num_nodes, file.path);
      self_loop |= other == node;
      if (other == node) continue;
      edges.row.push_back(node);
      edges.col.push_back(other);
    }
    parsed.num_self_loops += self_loop ? 1 : 0;
  }
  Csr adjacency = csr_from_coo(num_nodes, num_nodes, edges, Duplicates::kKeepFirst);
  if (!is_symmetric(adjacency))
    throw DataError(fmt::format("{}: the neighbour lists are not symmetric", file.path));
  parsed.num_duplicates = (static_cast<int64_t>(edges.row.size()) - adjacency.num_entries()) / 2;
  parsed.dataset.graph.num_nodes = num_nodes;
  parsed.dataset.graph.relations.push_back({"citation", std::move(adjacency)});
}

// Everything but the features; x's rows are the training nodes.
struct Skeleton {
  ParsedDataset parsed;
  int32_t num_listed;  // nodes with a row in allx and ally: ids 0..num_listed-1
};

Skeleton read_skeleton(const SourceFiles& files, const std::string& set) {
  const OneHot train = read_labels(files, part(set, "y"));
  const OneHot listed = read_labels(files, part(set, "ally"));
  const OneHot test = read_labels(files, part(set, "ty"));
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("ind.{}: {}", set, what));
  };
  if (train.num_classes != listed.num_classes || train.num_classes != test.num_classes) {
    fail("y, ally and ty have different numbers of classes");
  }
  const auto num_train = static_cast<int32_t>(train.label.size());
  const auto num_listed = static_cast<int32_t>(listed.label.size());
  if (num_train > num_listed ||
      !std::equal(train.label.begin(), train.label.end(), listed.label.begin())) {
    fail("the first rows of ally are not y");
  }
  if (num_train + kNumValidation > num_listed)
    fail("fewer than 500 nodes follow the training nodes");
  const std::vector<int32_t> test_ids = read_test_ids(files, part(set, "test.index"), num_listed);
  if (test_ids.size() != test.label.size()) fail("test.index and ty differ in length");
  const int32_t last = *std::max_element(test_ids.begin(), test_ids.end());
  if (last == std::numeric_limits<int32_t>::max() ||
      last - num_listed > 2 * static_cast<int32_t>(test_ids.size())) {
    fail(fmt::format("test id {} is far beyond the other nodes", last));
  }

  Skeleton skeleton{{}, num_listed};
  Dataset& dataset = skeleton.parsed.dataset;
  read_graph(files, part(set, "graph"), last + 1, skeleton.parsed);
  // Ids between the test ids that have no row of their own keep kNoLabel and a zero feature row
  // (Citeseer has 15).
  dataset.labels = unknown_classes(int64_t{last} + 1, numbered_names(train.num_classes));
  std::copy(listed.label.begin(), listed.label.end(), dataset.labels.cls.begin());
  for (size_t k = 0; k < test_ids.size(); ++k)
    dataset.labels.cls[static_cast<size_t>(test_ids[k])] = test.label[k];

  NamedSplit split{"planetoid", {}};
  split.split.train.resize(static_cast<size_t>(num_train));
  std::iota(split.split.train.begin(), split.split.train.end(), 0);
  split.split.validation.resize(kNumValidation);
  std::iota(split.split.validation.begin(), split.split.validation.end(), num_train);
  split.split.test = test_ids;  // in the file's order, which is the order of tx and ty
  skeleton.parsed.splits.push_back(std::move(split));
  return skeleton;
}

void append_row(Csr& into, const Csr& from, size_t row) {
  for (int32_t k = from.rowptr[row]; k < from.rowptr[row + 1]; ++k) {
    into.col.push_back(from.col[static_cast<size_t>(k)]);
    into.val.push_back(from.value(k));
  }
}

bool begins_with(const Csr& all, const Csr& first) {
  if (first.num_rows > all.num_rows || first.num_cols != all.num_cols) return false;
  for (int64_t k = 0; k < first.num_entries(); ++k) {
    if (first.value(k) != all.value(k)) return false;
  }
  return std::equal(first.rowptr.begin(), first.rowptr.end(), all.rowptr.begin()) &&
         std::equal(first.col.begin(), first.col.end(), all.col.begin());
}

// Row i of allx is node i; row k of tx is node test.index[k].
Csr read_features(const SourceFiles& files, const std::string& set, const Skeleton& skeleton) {
  const Csr train = read_matrix(files, part(set, "x"));
  const Csr listed = read_matrix(files, part(set, "allx"));
  const Csr test = read_matrix(files, part(set, "tx"));
  const std::vector<int32_t>& test_ids = skeleton.parsed.splits[0].split.test;
  if (listed.num_rows != skeleton.num_listed ||
      static_cast<size_t>(test.num_rows) != test_ids.size() || test.num_cols != listed.num_cols ||
      static_cast<size_t>(train.num_rows) != skeleton.parsed.splits[0].split.train.size() ||
      !begins_with(listed, train)) {
    throw DataError(fmt::format("ind.{}: x, allx and tx do not fit y, ally and test.index", set));
  }
  std::vector<int32_t> row_of(static_cast<size_t>(skeleton.parsed.dataset.graph.num_nodes), -1);
  for (size_t k = 0; k < test_ids.size(); ++k)
    row_of[static_cast<size_t>(test_ids[k])] = static_cast<int32_t>(k);
  Csr features;
  features.num_rows = skeleton.parsed.dataset.graph.num_nodes;
  features.num_cols = listed.num_cols;
  for (size_t node = 0; node < row_of.size(); ++node) {
    if (node < static_cast<size_t>(listed.num_rows)) {
      append_row(features, listed, node);
    } else if (row_of[node] >= 0) {
      append_row(features, test, static_cast<size_t>(row_of[node]));
    }
    features.rowptr.push_back(static_cast<int32_t>(features.col.size()));
  }
  drop_unit_values(features);
  return features;
}

ParsedDataset with_features(Skeleton skeleton, Csr features) {
  Features& into = skeleton.parsed.dataset.features;
  into.num_rows = features.num_rows;
  into.num_cols = features.num_cols;
  into.sparse = std::move(features);
  return std::move(skeleton.parsed);
}

}  // namespace

ParsedDataset load_planetoid(const SourceFiles& files, const std::string& set) {
  Skeleton skeleton = read_skeleton(files, set);
  Csr features = read_features(files, set, skeleton);
  return with_features(std::move(skeleton), std::move(features));
}

ParsedDataset load_pubmed_presence(const SourceFiles& files) {
  Skeleton skeleton = read_skeleton(files, "pubmed");
  Csr features = read_pubmed_presence(files, skeleton.parsed.dataset.graph.num_nodes);
  return with_features(std::move(skeleton), std::move(features));
}

}  // namespace emgnn
