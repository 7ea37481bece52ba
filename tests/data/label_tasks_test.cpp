// SPDX-License-Identifier: Apache-2.0
// What the label column of a user's own graph is taken for.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <emgnn/base/error.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/data/registry.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;
using testing::TempDir;

// A ring of nodes with these label cells.
void write_ring(const TempDir& dir, const std::vector<std::string>& cells) {
  std::string nodes = "id,label\n", edges = "source,target\n";
  for (size_t i = 0; i < cells.size(); ++i) {
    nodes += fmt::format("n{},{}\n", i, cells[i]);
    edges += fmt::format("n{},n{}\n", i, (i + 1) % cells.size());
  }
  dir.write("nodes.csv", nodes);
  dir.write("edges.csv", edges);
}

ParsedDataset load(const TempDir& dir, const std::string& task = "auto") {
  OwnGraphSources sources = find_own_graph(dir.path());
  sources.task = task;
  return load_own_graph(sources, "mine");
}

ParsedDataset load(const std::vector<std::string>& cells, const std::string& task = "auto") {
  const TempDir dir;
  write_ring(dir, cells);
  return load(dir, task);
}

std::string task_note(const ParsedDataset& parsed) {
  const auto found = std::find_if(parsed.notes.begin(), parsed.notes.end(),
                                  [](const std::string& n) { return n.starts_with("task: "); });
  return found == parsed.notes.end() ? "" : *found;
}

using Names = std::vector<std::string>;
using Values = std::vector<double>;

std::vector<std::string> repeated(size_t count, const auto& cell) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < count; ++i) cells.push_back(cell(i));
  return cells;
}

TEST(LabelTasks, SeparatedNamesAreLabels) {
  const ParsedDataset parsed = load({"sea; moon", "", "moon|rose|moon", "sea", ";"});
  const Labels& labels = parsed.dataset.labels;
  EXPECT_EQ(labels.kind, LabelKind::kLabels);
  EXPECT_EQ(labels.names, (Names{"moon", "rose", "sea"}));
  EXPECT_EQ(labels.known_rows(), (std::vector<int32_t>{0, 2, 3, 4}));
  const auto row = [&](int64_t r) {
    return Values{labels.at(r, 0), labels.at(r, 1), labels.at(r, 2)};
  };
  EXPECT_EQ(row(0), (Values{1, 0, 1}));
  EXPECT_TRUE(std::isnan(row(1)[0]));
  EXPECT_EQ(row(2), (Values{1, 1, 0}));
  EXPECT_EQ(row(3), (Values{0, 0, 1}));
  EXPECT_EQ(row(4), (Values{0, 0, 0}));
  EXPECT_NO_THROW(check_without_split(parsed.dataset));
  EXPECT_NE(task_note(parsed).find("labels (inferred"), std::string::npos) << task_note(parsed);
}

TEST(LabelTasks, NumbersThatAreNotAllWholeAreValues) {
  const ParsedDataset parsed = load({"1", " 0.37", "", "-2e3", "+4"});
  const Labels& labels = parsed.dataset.labels;
  EXPECT_EQ(labels.kind, LabelKind::kValues);
  EXPECT_EQ(labels.names, (Names{"label"}));
  EXPECT_EQ((Values{labels.value[0], labels.value[1], labels.value[3], labels.value[4]}),
            (Values{1, 0.37, -2000, 4}));
  EXPECT_FALSE(labels.known(2));
  EXPECT_NE(task_note(parsed).find("values (inferred"), std::string::npos) << task_note(parsed);
}

TEST(LabelTasks, OtherCellsAreClasses) {
  const ParsedDataset words = load({"b", "a", "", "b "});
  EXPECT_EQ(words.dataset.labels.cls, (std::vector<int32_t>{1, 0, kNoLabel, 1}));
  EXPECT_NE(task_note(words).find("classes (inferred"), std::string::npos);
  // As a spreadsheet writes whole numbers in a column with empty cells.
  const Labels numbers = load({"10.0", "2.0", "", "10.0"}).dataset.labels;
  EXPECT_EQ(numbers.names, (Names{"2.0", "10.0"}));
  EXPECT_EQ(numbers.cls, (std::vector<int32_t>{1, 0, kNoLabel, 1}));
  EXPECT_EQ(task_note(load({"", ""})), "");
  EXPECT_EQ(load({"", ""}, "values").dataset.labels.kind, LabelKind::kNone);
}

TEST(LabelTasks, AreForcedByTheirName) {
  EXPECT_EQ(load({"0.5", "0.7"}, "classes").dataset.labels.kind, LabelKind::kClasses);
  EXPECT_EQ(load({"a;b", "c"}, "classes").dataset.labels.names, (Names{"a;b", "c"}));
  const ParsedDataset single = load({"b", "a", ""}, "labels");
  EXPECT_EQ(single.dataset.labels.kind, LabelKind::kLabels);
  EXPECT_EQ(single.dataset.labels.names, (Names{"a", "b"}));
  EXPECT_EQ(load({"1", "2", "2"}, "values").dataset.labels.value, (Values{1, 2, 2}));
  EXPECT_EQ(task_note(single), "task: labels (as set)");
}

TEST(LabelTasks, ManyWholeNumbersNeedAWord) {
  const auto distinct = repeated(21, [](size_t i) { return std::to_string(i * 7); });
  expect_error<DataError>([&] { load(distinct); },
                          {"nodes.csv: line 2, column 2 (label)", "21 different whole numbers",
                           "task=values", "task=classes"});
  EXPECT_EQ(load(distinct, "values").dataset.labels.kind, LabelKind::kValues);
  EXPECT_EQ(load(distinct, "classes").dataset.labels.num_names(), 21);
  // Ten cells for each number, or few numbers: classes.
  EXPECT_EQ(load(repeated(210, [](size_t i) { return std::to_string(i % 21); }))
                .dataset.labels.num_classes(),
            21);
  EXPECT_EQ(load(repeated(38, [](size_t i) { return std::to_string(i % 19); }))
                .dataset.labels.num_classes(),
            19);
}

TEST(LabelTasks, TextsThatHardlyRepeatNeedAWord) {
  const auto names = repeated(21, [](size_t i) { return "name" + std::to_string(i); });
  expect_error<DataError>([&] { load(names); },
                          {"nodes.csv: line 2, column 2 (label)", "name0", "task=classes"});
  EXPECT_EQ(load(names, "classes").dataset.labels.num_classes(), 21);
  EXPECT_EQ(load(repeated(42, [](size_t i) { return "name" + std::to_string(i % 21); }))
                .dataset.labels.num_classes(),
            21);
}

TEST(LabelTasks, AClassOfOneRowNeedsAWord) {
  auto cells = repeated(30, [](size_t i) { return i % 2 == 0 ? "sea" : "moon"; });
  cells[17] = "mooon";
  expect_error<DataError>([&] { load(cells); }, {"nodes.csv: line 19, column 2 (label)", "mooon",
                                                 "one cell only", "task=classes"});
  EXPECT_EQ(load(cells, "classes").dataset.labels.num_classes(), 3);
  cells[18] = "mooon";
  EXPECT_EQ(load(cells).dataset.labels.num_classes(), 3);
}

TEST(LabelTasks, FewNumbersWithFractionsNeedAWord) {
  const auto steps = repeated(40, [](size_t i) { return fmt::format("{}", 0.5 * (i % 4)); });
  expect_error<DataError>([&] { load(steps); },
                          {"nodes.csv: line 2, column 2 (label)", "4 different numbers",
                           "task=values", "task=classes"});
  EXPECT_EQ(load(steps, "values").dataset.labels.kind, LabelKind::kValues);
  EXPECT_EQ(load(steps, "classes").dataset.labels.num_classes(), 4);
}

TEST(LabelTasks, TheNoteSaysFromWhatAndHowToChange) {
  EXPECT_EQ(task_note(load({"0", "1", "1"})),
            "task: classes (inferred: column label has 2 different whole numbers; --set "
            "task=values for regression)");
  EXPECT_EQ(task_note(load({"0.5", "1", "2"})),
            "task: values (inferred: column label has 3 different numbers, not all whole; --set "
            "task=classes for classification)");
  EXPECT_EQ(task_note(load({"sea", "moon"})),
            "task: classes (inferred: column label has 2 different names)");
}

TEST(LabelTasks, WhatIsNoNumberAmongNumbersIsFound) {
  expect_error<DataError>(
      [&] {
        load({"0.5", "n/a", "2"});
      },
      {"nodes.csv: line 3, column 2 (label)", "n/a", "0.5", "task=classes"});
  for (const char* word : {"tall", "nan", "inf", "1,5", "1e999"}) {
    expect_error<DataError>(
        [&] {
          load({"1", "2", fmt::format("\"{}\"", word)}, "values");
        },
        {"nodes.csv: line 4, column 2 (label)", "expected a number", word});
  }
  expect_error<DataError>([&] { load({";", "|"}); }, {"line 2, column 2 (label)", "name"});
  expect_error<UsageError>([&] { load({"a"}, "regression"); }, {"task", "regression"});
}

TEST(LabelTasks, GraphmlHasTheSameRules) {
  if (!EMGNN_GRAPHML) GTEST_SKIP() << "needs EMGNN_GRAPHML=ON";
  const auto graphml = [](const char* a, const char* b) {
    return fmt::format(
        "<graphml>\n <key id='y' for='node' attr.name='age' attr.type='string'/>\n <graph>\n"
        "<node id='a'><data key='y'>{}</data></node>\n\n<node id='b'><data key='y'>{}</data></node>"
        "\n<edge source='a' target='b'/></graph></graphml>",
        a, b);
  };
  const auto read = [](const std::string& text, const std::string& task) {
    const TempDir dir;
    OwnGraphSources sources;
    sources.graphml = dir.write("g.graphml", text);
    sources.columns.label = "age";
    sources.task = task;
    return load_own_graph(sources, "mine").dataset.labels;
  };
  const Labels values = read(graphml("2.5", "4"), "auto");
  EXPECT_EQ(values.value, (Values{2.5, 4}));
  EXPECT_EQ(values.names, (Names{"age"}));
  EXPECT_EQ(read(graphml("x;y", "y"), "auto").value, (Values{1, 1, 0, 1}));
  expect_error<DataError>([&] { read(graphml("1", "old"), "values"); },
                          {"g.graphml: line 6, attribute \"age\"", "old"});
}

TEST(LabelTasks, ASplitNeedsKnownLabelsOfEveryKind) {
  const TempDir dir;
  dir.write("edges.csv", "source,target\na,b\n");
  dir.write("nodes.csv", "id,label,split\na,0.5,train\nb, ,test\n");
  expect_error<DataError>([&] { load(dir); }, {"line 3, column 3 (split)", "needs a label"});
  dir.write("nodes.csv", "id,label,split\na,0.5,train\nb,1,test\n");
  EXPECT_EQ(load(dir).splits[0].split.test, (std::vector<int32_t>{1}));
}

TEST(LabelTasks, SurviveWritingAndReadingBack) {
  for (const auto& cells : {Names{"sea; moon", "", "moon", ";"}, Names{"0.1", "", "-3", "1e-300"},
                            Names{"b", "a", ""}}) {
    const TempDir out;
    const Labels first = load(cells).dataset.labels;
    write_own_graph(load(cells), out / "copy");
    const Labels second = load_own_graph(find_own_graph(out / "copy"), "x").dataset.labels;
    EXPECT_EQ(second.kind, first.kind);
    EXPECT_EQ(second.names, first.names);
    EXPECT_EQ(second.cls, first.cls);
    ASSERT_EQ(second.value.size(), first.value.size());
    for (size_t i = 0; i < first.value.size(); ++i)
      EXPECT_TRUE(second.value[i] == first.value[i] ||
                  (std::isnan(second.value[i]) && std::isnan(first.value[i])));
  }
}

TEST(LabelTasks, TheCacheKeepsTasksApart) {
  const TempDir dir, cache;
  setenv("EMGNN_CACHE", cache.path().c_str(), 1);
  write_ring(dir, {"1", "2", "2"});
  // Beyond the tick of the file system's clock, so that the first load is kept.
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  DatasetRequest request{.name = dir.path().string()};
  EXPECT_EQ(parse_dataset(request).dataset.labels.kind, LabelKind::kClasses);
  request.task = "values";
  EXPECT_EQ(parse_dataset(request).dataset.labels.kind, LabelKind::kValues);
  const DatasetSummary summary = summarise_dataset(request);
  EXPECT_EQ(summary.classes, 0);
  EXPECT_EQ(summary.labels.kind, LabelKind::kValues);
  EXPECT_DOUBLE_EQ(summary.labels.names.at(0).mean, 5.0 / 3);
  EXPECT_EQ(summary.homophily, std::nullopt);
  unsetenv("EMGNN_CACHE");
}

}  // namespace
}  // namespace emgnn
