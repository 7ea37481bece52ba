// SPDX-License-Identifier: Apache-2.0
// The Planetoid reader on files built here in the published layout, real-valued features and a gap
// in the test ids included.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include <emgnn/base/error.h>
#include <emgnn/data/loaders.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"
#include "formats/pickle_writer.h"

namespace emgnn {
namespace {

using testing::PickleWriter;
using testing::raw_bytes;
using testing::TempDir;

constexpr int32_t kTrain = 6, kListed = 510, kFeatures = 4;

float weight(int32_t node) { return 0.25F * static_cast<float>(node + 1); }

// One real weight per row, in column node % 4.
PickleWriter::Sparse rows_of(const std::vector<int32_t>& nodes) {
  PickleWriter::Sparse m{static_cast<int64_t>(nodes.size()), kFeatures, {0}, {}, {}};
  for (const int32_t node : nodes) {
    m.indices.push_back(node % kFeatures);
    m.data.push_back(weight(node));
    m.indptr.push_back(static_cast<int32_t>(m.indices.size()));
  }
  return m;
}

std::string labels_of(const PickleWriter& w, const std::vector<int32_t>& nodes) {
  std::vector<int32_t> one_hot;
  for (const int32_t node : nodes) {
    for (int32_t c = 0; c < 3; ++c) one_hot.push_back(node % 3 == c ? 1 : 0);
  }
  return w.file(w.array("i4", {static_cast<int64_t>(nodes.size()), 3}, raw_bytes(one_hot)));
}

std::vector<int32_t> range(int32_t n) {
  std::vector<int32_t> ids(static_cast<size_t>(n));
  for (int32_t i = 0; i < n; ++i) ids[static_cast<size_t>(i)] = i;
  return ids;
}

// Nodes 0..514 in a ring; 513, 510 and 514 are test nodes, in this order; 511 and 512 have no row
// anywhere.
std::map<std::string, std::string> small_set() {
  const PickleWriter w(2);
  const std::vector<int32_t> test = {513, 510, 514};
  std::vector<std::vector<int32_t>> ring(515);
  for (int32_t i = 0; i < 515; ++i) ring[static_cast<size_t>(i)] = {(i + 1) % 515, (i + 514) % 515};
  ring[7] = {8, 6, 8, 7};  // names 8 twice and itself
  ring[8] = {9, 7, 7};
  return {{"x", w.file(w.sparse(rows_of(range(kTrain))))},
          {"allx", w.file(w.sparse(rows_of(range(kListed))))},
          {"tx", w.file(w.sparse(rows_of(test)))},
          {"y", labels_of(w, range(kTrain))},
          {"ally", labels_of(w, range(kListed))},
          {"ty", labels_of(w, test)},
          {"graph", w.file(PickleWriter::adjacency(ring))},
          {"test.index", "513\n510\n514\n"}};
}

ParsedDataset load(const std::map<std::string, std::string>& parts) {
  const TempDir dir;
  for (const auto& [part, bytes] : parts) dir.write("planetoid/ind.small." + part, bytes);
  return load_planetoid(SourceFiles(dir.path(), "small", Checksums::kRequire), "small");
}

TEST(Planetoid, PutsEveryRowAtItsNode) {
  const ParsedDataset parsed = load(small_set());
  const Dataset& d = parsed.dataset;
  ASSERT_EQ(d.graph.num_nodes, 515);
  EXPECT_EQ(d.features.num_cols, kFeatures);
  for (int32_t node = 0; node < 515; ++node) {
    const auto at = static_cast<size_t>(node);
    const int32_t begin = d.features.sparse.rowptr[at], end = d.features.sparse.rowptr[at + 1];
    if (node == 511 || node == 512) {
      EXPECT_EQ(begin, end);
      EXPECT_EQ(d.labels.cls[at], kNoLabel);
      continue;
    }
    ASSERT_EQ(end - begin, 1);
    EXPECT_EQ(d.features.sparse.col[static_cast<size_t>(begin)], node % kFeatures);
    EXPECT_EQ(d.features.sparse.value(begin), weight(node));
    EXPECT_EQ(d.labels.cls[at], node % 3);
  }
  EXPECT_EQ(d.graph.relations[0].adjacency.num_entries(), 2 * 515);
  EXPECT_EQ(parsed.num_duplicates, 1);
  EXPECT_EQ(parsed.num_self_loops, 1);
  EXPECT_EQ(parsed.splits[0].split.test, (std::vector<int32_t>{513, 510, 514}));
  EXPECT_EQ(parsed.splits[0].split.validation.back(), kTrain + 499);
}

TEST(Planetoid, RefusesPartsThatDoNotFitTogether) {
  const PickleWriter w(2);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"x", w.file(w.sparse(rows_of({5, 4, 3, 2, 1, 0})))},
      {"allx", w.file(w.sparse(rows_of(range(kListed - 1))))},
      {"tx", w.file(w.sparse(rows_of({513, 510})))},
      {"y", labels_of(w, {1, 2, 3, 4, 5, 6})},
      {"ally", labels_of(w, range(100))},
      {"ty", labels_of(w, {513})},
      {"graph", w.file(PickleWriter::adjacency({{1}, {0}}))},
      {"test.index", "513\n510\n"},
      {"test.index", "513\n510\n510\n"},
      {"test.index", "513\n510\n3\n"},
      {"test.index", "513\n510\n514"},
      {"test.index", "513\n510\n2000000000\n"},
      {"graph", w.file(w.array("i4", {1}, "1234"))},
      {"y", w.file(w.sparse(rows_of(range(kTrain))))},
  };
  for (const auto& [part, bytes] : wrong) {
    auto parts = small_set();
    parts[part] = bytes;
    EXPECT_THROW(load(parts), DataError) << part;
  }
}

TEST(Planetoid, RefusesAGraphThatIsNotSymmetric) {
  auto parts = small_set();
  std::vector<std::vector<int32_t>> lists(515);
  lists[0] = {1};
  parts["graph"] = PickleWriter(2).file(PickleWriter::adjacency(lists));
  testing::expect_error<DataError>([&] { load(parts); }, {"ind.small.graph", "not symmetric"});
}

TEST(Planetoid, NamesTheMissingPart) {
  for (const char* part : {"x", "allx", "graph", "test.index"}) {
    auto parts = small_set();
    parts.erase(part);
    testing::expect_error<DataError>([&] { load(parts); },
                                     {std::string("ind.small.") + part, "emgnn data fetch small"});
  }
}

}  // namespace
}  // namespace emgnn
