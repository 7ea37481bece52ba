// SPDX-License-Identifier: Apache-2.0
// The reader of blogcatalog and flickr, on small archives of the same layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/registry.h>

#include "data/expect_error.h"
#include "data/make_zip.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;
using Members = std::map<std::string, std::string>;  // by the name behind the folder

constexpr int kNodes = 700, kClasses = 2, kFeatures = 5, kTest = 10;

int cls_of(int node) { return node % kClasses; }
bool has_feature(int node, int feature) { return (node + 3 * feature) % 4 == 0; }

std::string lines(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += std::to_string(i) + "\n";
  return text;
}

// Training nodes from 0 on, test nodes at the end, links along a ring in both directions.
Members small_set() {
  Members m;
  for (int i = 0; i < kNodes; ++i) {
    const int next = (i + 1) % kNodes;
    m["flickr.label"] += std::to_string(cls_of(i)) + "\n";
    m["flickr.edge"] += fmt::format("{}\t{}\n{} {}\n", i, next, next, i);
    for (int f = 0; f < kFeatures; ++f)
      m["flickr.feature"] += fmt::format("{}{}", has_feature(i, f) ? 1 : 0, f == 4 ? "\n" : " ");
  }
  for (const int k : {20, 40, 60}) {
    m[fmt::format("train{}.txt", k)] = lines(0, k * kClasses);
    m[fmt::format("test{}.txt", k)] = lines(kNodes - kTest, kNodes);
  }
  return m;
}

std::string zip_of(const Members& members) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& [name, text] : members) list.emplace_back("flickr/" + name, text);
  return testing::make_zip(list);
}

DatasetRequest request_in(const testing::TempDir& dir) {
  DatasetRequest request;
  request.name = "flickr";
  request.data_dir = dir.path();
  request.allow_modified = true;
  request.use_cache = false;
  return request;
}

ParsedDataset parse(const std::string& zip) {
  const testing::TempDir dir;
  dir.write("am-gcn/flickr.zip", zip);
  return parse_dataset(request_in(dir));
}

void expect_refused(const std::function<void(Members&)>& damage,
                    std::initializer_list<std::string_view> pieces) {
  Members members = small_set();
  damage(members);
  expect_error<DataError>([&] { parse(zip_of(members)); }, pieces);
}

TEST(AmGcn, ReadsFeaturesLabelsAndLinksAsWritten) {
  const ParsedDataset parsed = parse(zip_of(small_set()));
  const Dataset& d = parsed.dataset;
  ASSERT_EQ(d.graph.num_nodes, kNodes);
  ASSERT_EQ(d.features.num_cols, kFeatures);
  EXPECT_TRUE(d.features.is_sparse);
  EXPECT_TRUE(d.features.sparse.val.empty());
  ASSERT_EQ(d.graph.relations.size(), 1U);
  EXPECT_EQ(d.graph.relations[0].name, "follow");
  const Csr &x = d.features.sparse, &a = d.graph.relations[0].adjacency;
  EXPECT_TRUE(is_symmetric(a));
  EXPECT_EQ(a.num_entries(), 2 * kNodes);
  for (int i = 0; i < kNodes; ++i) {
    const auto row = static_cast<size_t>(i);
    EXPECT_EQ(d.labels.cls[row], cls_of(i));
    std::vector<int32_t> features, neighbours{(i + 1) % kNodes, (i + kNodes - 1) % kNodes};
    for (int f = 0; f < kFeatures; ++f)
      if (has_feature(i, f)) features.push_back(f);
    std::sort(neighbours.begin(), neighbours.end());
    EXPECT_EQ(std::vector(x.col.begin() + x.rowptr[row], x.col.begin() + x.rowptr[row + 1]),
              features);
    EXPECT_EQ(std::vector(a.col.begin() + a.rowptr[row], a.col.begin() + a.rowptr[row + 1]),
              neighbours);
  }
}

TEST(AmGcn, LeavesOutRepetitionsAndSelfLoops) {
  Members members = small_set();
  members["flickr.edge"] += "4 5\n4 5\n7 7\n";
  const ParsedDataset parsed = parse(zip_of(members));
  EXPECT_EQ(parsed.dataset.graph.relations[0].adjacency.num_entries(), 2 * kNodes);
  EXPECT_EQ(parsed.num_duplicates, 2);
  EXPECT_EQ(parsed.num_self_loops, 1);
}

TEST(AmGcn, LabelsPerClassTakesThePublishedFiles) {
  const testing::TempDir dir;
  Members members = small_set();
  members["train40.txt"] = lines(100, 180);  // not those of train20 and some more
  dir.write("am-gcn/flickr.zip", zip_of(members));
  const auto split_of = [&](const std::string& spec) {
    DatasetRequest request = request_in(dir);
    request.split = spec;
    return load_dataset(request).split;
  };
  const auto range = [](int begin, int end) {
    std::vector<int32_t> ids(static_cast<size_t>(end - begin));
    std::iota(ids.begin(), ids.end(), begin);
    return ids;
  };
  EXPECT_EQ(split_of("").train, range(0, 40));
  EXPECT_EQ(split_of("am-gcn").train, range(0, 40));
  EXPECT_EQ(split_of("labels-per-class:20").train, range(0, 40));
  EXPECT_EQ(split_of("labels-per-class:40").train, range(100, 180));
  EXPECT_EQ(split_of("labels-per-class:60").train, range(0, 120));
  EXPECT_EQ(split_of("labels-per-class:5").train, range(0, 10));
  for (const char* spec : {"", "labels-per-class:40", "labels-per-class:60"})
    EXPECT_EQ(split_of(spec).test, range(kNodes - kTest, kNodes));
  for (const char* spec : {"labels-per-class", "labels-per-class:30", "labels-per-class:"})
    EXPECT_THROW(split_of(spec), UsageError) << spec;
}

// The draw that docs/data.md describes, once more.
TEST(AmGcn, ValidationIsOneDrawFromTheNodesThatNoFileNames) {
  std::vector<int32_t> rest(static_cast<size_t>(kNodes - kTest - 60 * kClasses));
  std::iota(rest.begin(), rest.end(), 60 * kClasses);
  Rng rng(0, Stream::kSplit);
  for (size_t i = rest.size(); i > 1; --i) std::swap(rest[i - 1], rest[rng.below(i)]);
  rest.resize(500);
  std::sort(rest.begin(), rest.end());
  const ParsedDataset parsed = parse(zip_of(small_set()));
  ASSERT_EQ(parsed.splits.size(), 3U);
  for (const NamedSplit& named : parsed.splits) EXPECT_EQ(named.split.validation, rest);
}

TEST(AmGcn, EveryRunHasTheSameSplit) {
  const testing::TempDir dir;
  dir.write("am-gcn/flickr.zip", zip_of(small_set()));
  DatasetRequest request = request_in(dir);
  const Split first = load_dataset(request).split;
  request.seed = 17;
  request.run = 3;
  const Split other = load_dataset(request).split;
  EXPECT_EQ(first.train, other.train);
  EXPECT_EQ(first.validation, other.validation);
  request.split = "per-class:20/500/10";
  EXPECT_NE(load_dataset(request).split.validation, first.validation);
}

TEST(AmGcn, BrokenFeaturesAreOneErrorWithTheirLine) {
  const auto features = [](const std::string& text) {
    return [text](Members& m) { m["flickr.feature"] = text; };
  };
  expect_refused(features("1 0 1\n0 1\n"), {"flickr.feature: line 2", "expected 3", "found 2"});
  expect_refused(features("1 0\n0 1 1\n"), {"flickr.feature: line 2", "expected 2", "found 3"});
  expect_refused(features("1 0\n0 2\n"), {"flickr.feature: line 2: feature 1", "0 or 1"});
  expect_refused(features("1 0\n0.5 1\n"), {"flickr.feature: line 2: feature 0", "0 or 1"});
  expect_refused(features("1 0\n0 -1\n"), {"flickr.feature: line 2: feature 1", "0 or 1"});
  expect_refused(features("1 0\n\n0 1\n"), {"flickr.feature: line 2: feature 0", "0 or 1"});
  expect_refused(features("1 0\n0 1"), {"flickr.feature: line 2", "line feed at the end"});
  expect_refused(features("1 0\n0 "), {"flickr.feature: line 2", "line feed at the end"});
  expect_refused(features(""), {"flickr.feature: line 1", "at least one row"});
}

TEST(AmGcn, BrokenLinksAndLabelsAreOneErrorWithTheirLine) {
  const auto appended = [](const std::string& name, const std::string& text) {
    return [name, text](Members& m) { m[name] = text + m[name]; };
  };
  expect_refused(appended("flickr.edge", "0 1\n3 700\n"),
                 {"flickr.edge: line 2", "two node ids within 0..699", "3 700"});
  for (const char* line : {"-1 3\n", "0\n", "0 1 2\n", "a b\n", "\n", "0,1\n", "99999999999 1\n"})
    expect_refused(appended("flickr.edge", line), {"flickr.edge: line 1", "two node ids"});
  expect_refused(appended("flickr.label", "\n"), {"flickr.label: line 1", "a class"});
  expect_refused(appended("flickr.label", "-1\n"), {"flickr.label: line 1", "a class"});
  expect_refused(appended("flickr.label", "1\n"), {"flickr.label", "701 labels for 700 nodes"});
  const auto cut = [](const std::string& name, size_t bytes) {
    return [name, bytes](Members& m) { m[name].resize(m[name].size() - bytes); };
  };
  expect_refused(cut("flickr.label", 2), {"flickr.label", "699 labels for 700 nodes"});
  expect_refused(cut("flickr.label", 1), {"flickr.label: line 700", "a line feed"});
  expect_refused(cut("flickr.edge", 1), {"flickr.edge: line 1400", "a line feed"});
}

TEST(AmGcn, BrokenSplitsAreOneErrorThatNamesTheFile) {
  const auto text = [](const std::string& name, const std::string& content) {
    return [name, content](Members& m) { m[name] = content; };
  };
  expect_refused(text("test40.txt", "700\n"), {"test40.txt: line 1", "a node id within 0..699"});
  expect_refused(text("test40.txt", "0\n"), {"test40.txt", "node 0 comes twice"});
  expect_refused(text("train20.txt", lines(0, 40) + "7\n"), {"train20.txt", "node 7 comes twice"});
  expect_refused(text("train20.txt", lines(0, 39)),
                 {"train20.txt", "expected 20 nodes of every class, found 19 of class 1"});
  expect_refused(text("test60.txt", lines(120, 400)), {"flickr.zip", "290 nodes, 500 are needed"});
}

TEST(AmGcn, ATruncatedOrIncompleteArchiveIsOneError) {
  const std::string zip = zip_of(small_set());
  for (const size_t bytes : {size_t{0}, zip.size() / 2, zip.size() - 1})
    expect_error<DataError>([&] { parse(zip.substr(0, bytes)); }, {"flickr.zip"});
  for (const auto& [name, content] : small_set()) {
    SCOPED_TRACE(name);
    expect_refused([&, missing = name](Members& m) { m.erase(missing); }, {"flickr.zip", name});
  }
}

}  // namespace
}  // namespace emgnn
