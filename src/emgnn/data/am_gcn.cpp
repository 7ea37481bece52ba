// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/loaders.h>
#include <emgnn/data/split_shares.h>
#include <emgnn/formats/zip.h>

namespace emgnn {
namespace {

constexpr std::array kLabelsPerClass = {20, 40, 60};  // the first is the default split
constexpr size_t kNumValidation = 500;
constexpr uint64_t kValidationSeed = 0;
constexpr int32_t kMaxClasses = 1000;

// One file of the archive, with the name that errors give it.
struct Member {
  const ZipReader& zip;
  std::string name;

  std::string where() const { return zip.file() + ": " + name; }
};

// A dense 0/1 matrix in text, "1 0 0 1\n" a row, that arrives in pieces. Only the ones are kept.
class BinaryRows {
 public:
  explicit BinaryRows(std::string where) : where_(std::move(where)) {}

  void take(std::string_view piece) {
    for (const char c : piece) expects_digit_ ? take_digit(c) : take_separator(c);
  }

  Csr finish() {
    if (column_ != 0) fail("expected a line feed at the end of the file");
    if (rows_.num_rows == 0) fail("expected at least one row");
    return std::move(rows_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: line {}: {}", where_, rows_.num_rows + 1, what));
  }

  void take_digit(char c) {
    if (c == '1') rows_.col.push_back(column_);
    if (c != '0' && c != '1') fail(fmt::format("feature {}: expected 0 or 1", column_));
    ++column_;
    expects_digit_ = false;
  }

  void take_separator(char c) {
    if (c == '\n') return end_row();
    if (c != ' ')
      fail(fmt::format("feature {}: expected 0 or 1, then a blank or a line feed", column_ - 1));
    expects_digit_ = true;
  }

  void end_row() {
    if (rows_.num_rows == 0) rows_.num_cols = column_;
    if (column_ != rows_.num_cols)
      fail(fmt::format("expected {} features, found {}", rows_.num_cols, column_));
    rows_.rowptr.push_back(static_cast<int32_t>(rows_.col.size()));
    ++rows_.num_rows;
    column_ = 0;
    expects_digit_ = true;
  }

  std::string where_;
  Csr rows_;
  int32_t column_ = 0;
  bool expects_digit_ = true;
};

Csr read_features(const Member& member) {
  BinaryRows rows(member.where());
  member.zip.stream(member.name, [&](std::string_view piece) { rows.take(piece); });
  return rows.finish();
}

// `count` whole numbers from 0 to end - 1, separated by blanks or tabs; false for anything else.
bool parse_line(std::string_view line, size_t count, int32_t end, std::vector<int32_t>& into) {
  const char* at = line.data();
  const char* stop = at + line.size();
  for (size_t k = 0; k < count; ++k) {
    const char* begin = at;
    while (k > 0 && at != stop && (*at == ' ' || *at == '\t')) ++at;
    if (k > 0 && at == begin) return false;
    int32_t number = -1;
    const auto [next, error] = std::from_chars(at, stop, number);
    if (error != std::errc{} || number < 0 || number >= end) return false;
    into.push_back(number);
    at = next;
  }
  return at == stop;
}

// The numbers of all lines, `count` a line; `what` names them in errors.
std::vector<int32_t> read_numbers(const Member& member, size_t count, int32_t end,
                                  std::string_view what) {
  const std::string text = member.zip.read(member.name);
  std::vector<int32_t> numbers;
  int64_t line_number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t feed = text.find('\n', at);
    const std::string_view line = std::string_view(text).substr(at, feed - at);
    ++line_number;
    if (feed == std::string::npos || !parse_line(line, count, end, numbers)) {
      throw DataError(
          fmt::format("{}: line {}: expected {} within 0..{} and a line feed, found {:?}",
                      member.where(), line_number, what, end - 1, line.substr(0, 40)));
    }
    at = feed + 1;
  }
  return numbers;
}

Labels read_labels(const Member& member, int32_t num_nodes) {
  std::vector<int32_t> cls = read_numbers(member, 1, kMaxClasses, "a class");
  if (cls.size() != static_cast<size_t>(num_nodes)) {
    throw DataError(
        fmt::format("{}: {} labels for {} nodes", member.where(), cls.size(), num_nodes));
  }
  const int32_t num_classes = *std::max_element(cls.begin(), cls.end()) + 1;
  Labels labels = unknown_classes(num_nodes, numbered_names(num_classes));
  labels.cls = std::move(cls);
  return labels;
}

void read_links(const Member& member, int32_t num_nodes, ParsedDataset& parsed) {
  const std::vector<int32_t> ends = read_numbers(member, 2, num_nodes, "two node ids");
  Coo edges;
  for (size_t i = 0; i < ends.size(); i += 2) {
    parsed.num_self_loops += ends[i] == ends[i + 1] ? 1 : 0;
    if (ends[i] == ends[i + 1]) continue;
    edges.row.push_back(ends[i]);
    edges.col.push_back(ends[i + 1]);
  }
  const Csr links = csr_from_coo(num_nodes, num_nodes, edges, Duplicates::kKeepFirst);
  parsed.num_duplicates = static_cast<int64_t>(edges.row.size()) - links.num_entries();
  parsed.dataset.graph = {num_nodes, {{"follow", symmetrise(links)}}};
}

// Ascending. `part` says which part of the split at hand each node is in, and gets this one.
std::vector<int32_t> read_part(const Member& member, std::vector<int>& part, int number) {
  std::vector<int32_t> ids =
      read_numbers(member, 1, static_cast<int32_t>(part.size()), "a node id");
  std::sort(ids.begin(), ids.end());
  for (const int32_t id : ids) {
    if (std::exchange(part[static_cast<size_t>(id)], number) == 0) continue;
    throw DataError(fmt::format("{}: node {} comes twice in this split", member.where(), id));
  }
  return ids;
}

void check_per_class(const Member& member, const std::vector<int32_t>& train, const Labels& labels,
                     int32_t expected) {
  std::vector<int32_t> count(labels.names.size(), 0);
  for (const int32_t id : train) ++count[static_cast<size_t>(labels.cls[static_cast<size_t>(id)])];
  for (size_t c = 0; c < count.size(); ++c) {
    if (count[c] == expected) continue;
    throw DataError(fmt::format("{}: expected {} nodes of every class, found {} of class {}",
                                member.where(), expected, count[c], labels.names[c]));
  }
}

// The published files name training and test nodes. Validation nodes are drawn once for all, from
// those that no file names.
std::vector<NamedSplit> read_splits(const ZipReader& zip, const std::string& folder,
                                    const Labels& labels) {
  std::vector<NamedSplit> splits;
  std::vector<bool> named(labels.cls.size(), false);
  for (const int32_t k : kLabelsPerClass) {
    const Member train{zip, fmt::format("{}/train{}.txt", folder, k)},
        test{zip, fmt::format("{}/test{}.txt", folder, k)};
    std::vector<int> part(labels.cls.size(), 0);
    NamedSplit split{splits.empty() ? "am-gcn" : fmt::format("labels-per-class:{}", k), {}};
    split.split.train = read_part(train, part, 1);
    split.split.test = read_part(test, part, 2);
    check_per_class(train, split.split.train, labels, k);
    for (size_t i = 0; i < part.size(); ++i) named[i] = named[i] || part[i] != 0;
    splits.push_back(std::move(split));
  }
  std::vector<int32_t> rest;
  for (size_t i = 0; i < named.size(); ++i) {
    if (!named[i]) rest.push_back(static_cast<int32_t>(i));
  }
  if (rest.size() < kNumValidation) {
    throw DataError(fmt::format("{}: training and test files leave {} nodes, {} are needed",
                                zip.file(), rest.size(), kNumValidation));
  }
  Rng rng(kValidationSeed, Stream::kSplit);
  shuffle(rest, rng);
  rest.resize(kNumValidation);
  std::sort(rest.begin(), rest.end());
  for (NamedSplit& split : splits) split.split.validation = rest;
  return splits;
}

}  // namespace

ParsedDataset load_am_gcn(const SourceFiles& files, const std::string& name) {
  const SourceFile file = files.read("am-gcn/" + name + ".zip");
  const ZipReader zip(file.bytes, file.path);
  const std::string stem = name + "/" + name;
  ParsedDataset parsed;
  Dataset& dataset = parsed.dataset;
  dataset.features.sparse = read_features({zip, stem + ".feature"});
  dataset.features.num_rows = dataset.features.sparse.num_rows;
  dataset.features.num_cols = dataset.features.sparse.num_cols;
  dataset.labels = read_labels({zip, stem + ".label"}, dataset.features.num_rows);
  read_links({zip, stem + ".edge"}, dataset.features.num_rows, parsed);
  parsed.splits = read_splits(zip, name, dataset.labels);
  return parsed;
}

}  // namespace emgnn
