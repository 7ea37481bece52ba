// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/pubmed_presence.h>

#include <charconv>
#include <string>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/formats/gzip.h>

namespace emgnn {
namespace {

constexpr int32_t kNumWords = 500;
constexpr size_t kMaxMapBytes = 1 << 20;

// Word w of features.txt is Planetoid's column w - 1, but for two neighbours that are swapped.
int32_t column_of(int32_t word) { return word == 438 ? 438 : word == 439 ? 437 : word - 1; }

// A JSON array of the numbers 0..n-1 in some order.
std::vector<int32_t> read_permutation(const SourceFile& file, int32_t n) {
  const std::string text = gunzip(file.bytes, file.path, kMaxMapBytes);
  const auto fail = [&] {
    throw DataError(
        fmt::format("{}: expected a JSON array of 0..{} in some order", file.path, n - 1));
  };
  std::vector<int32_t> order;
  std::vector<bool> seen(static_cast<size_t>(n), false);
  const char* at = text.data();
  const char* end = at + text.size();
  const auto skip_blanks = [&] {
    while (at != end && (*at == ' ' || *at == '\n')) ++at;
  };
  const auto skip = [&](char c) {
    skip_blanks();
    if (at == end || *at != c) return false;
    ++at;
    return true;
  };
  if (!skip('[')) fail();
  do {
    skip_blanks();
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(at, end, id);
    if (error != std::errc{} || id < 0 || id >= n || seen[static_cast<size_t>(id)]) fail();
    seen[static_cast<size_t>(id)] = true;
    order.push_back(id);
    at = stop;
  } while (skip(','));
  if (!skip(']') || order.size() != static_cast<size_t>(n)) fail();
  return order;
}

}  // namespace

Csr read_pubmed_presence(const SourceFiles& files, int32_t num_nodes) {
  const std::vector<int32_t> node_of_line = read_permutation(
      files.read("planetoid/pubmed-presence/planetoid-index-map.json.gz"), num_nodes);
  const SourceFile file = files.read("planetoid/pubmed-presence/features.txt");
  const auto fail = [&](size_t line) {
    throw DataError(fmt::format("{}: line {}: expected word numbers 1..{}, ascending", file.path,
                                line + 1, kNumWords));
  };
  Coo entries;
  size_t line = 0;
  int32_t previous = 0;
  const char* at = file.bytes.data();
  const char* end = at + file.bytes.size();
  while (at != end) {
    if (*at == '\n') {
      ++line;
      previous = 0;
      ++at;
      continue;
    }
    if (*at == ' ') {
      ++at;
      continue;
    }
    int32_t word = 0;
    const auto [stop, error] = std::from_chars(at, end, word);
    if (error != std::errc{} || word <= previous || word > kNumWords || line >= node_of_line.size())
      fail(line);
    entries.row.push_back(node_of_line[line]);
    entries.col.push_back(column_of(word));
    previous = word;
    at = stop;
  }
  if (line != node_of_line.size())
    throw DataError(fmt::format("{}: {} lines, expected {}", file.path, line, num_nodes));
  return csr_from_coo(num_nodes, kNumWords, entries, Duplicates::kKeepFirst);
}

}  // namespace emgnn
