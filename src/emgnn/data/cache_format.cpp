// SPDX-License-Identifier: Apache-2.0
// magic | payload size | payload checksum | payload = key, then every field in the order of the
// `archive` functions below
#include <cstring>
#include <type_traits>

#include <emgnn/base/error.h>
#include <emgnn/data/bytes.h>
#include <emgnn/data/cache.h>

namespace emgnn {
namespace {

constexpr std::string_view kMagic = "EMGNNC01";  // a new number for every change of the layout
constexpr size_t kHeaderBytes = 24;

// Four independent chains of (h ^ word) * odd: every step is a bijection, so no changed word goes
// unseen.
uint64_t checksum(std::string_view bytes) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t lane[4] = {1, 2, 3, bytes.size()};
  const auto mix = [](uint64_t& h, uint64_t word) {
    h = (h ^ word) * kOdd;
    h ^= h >> 29;
  };
  while (bytes.size() >= 32) {
    uint64_t words[4];
    std::memcpy(words, bytes.data(), 32);
    for (int i = 0; i < 4; ++i) mix(lane[i], words[i]);
    bytes.remove_prefix(32);
  }
  for (size_t i = 0; i < bytes.size(); ++i) mix(lane[i % 4], static_cast<unsigned char>(bytes[i]));
  for (int i = 1; i < 4; ++i) mix(lane[0], lane[i]);
  return lane[0];
}

// The two archives move raw bytes; what a type consists of is said once, for both, by archive(a,
// value).
class Writer {
 public:
  void raw(const void* data, size_t size) { out_.append(static_cast<const char*>(data), size); }
  uint64_t count(uint64_t n, size_t) {
    raw(&n, sizeof(n));
    return n;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : in_(bytes, "cache") {}
  void raw(void* data, size_t size) {
    const std::string_view bytes = in_.take(size, "a field");
    if (size != 0) std::memcpy(data, bytes.data(), size);
  }
  // The stored count of items of so many bytes at least.
  uint64_t count(uint64_t, size_t item_bytes) {
    const auto n = in_.read<uint64_t>("a count");
    if (n > in_.remaining() / item_bytes) in_.fail("a count beyond the end");
    return n;
  }
  bool at_end() const { return in_.remaining() == 0; }

 private:
  ByteReader in_;
};

template <class A, class T>
requires std::is_arithmetic_v<T>
void archive(A& a, T& value) { a.raw(&value, sizeof(T)); }

template <class A>
void archive(A& a, std::string& text) {
  text.resize(a.count(text.size(), 1));
  a.raw(text.data(), text.size());
}

template <class A, class T>
void archive(A& a, std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T>) {
    values.resize(a.count(values.size(), sizeof(T)));
    a.raw(values.data(), values.size() * sizeof(T));
  } else {
    values.resize(a.count(values.size(), 1));
    for (T& value : values) archive(a, value);
  }
}

template <class A, class... T>
void archive_all(A& a, T&... values) {
  (archive(a, values), ...);
}

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
  archive_all(a, x.num_rows, x.num_cols, x.is_sparse, x.sparse, x.dense);
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
void archive(A& a, Dataset& d) {
  archive_all(a, d.name, d.graph.num_nodes, d.graph.relations, d.features, d.label, d.class_names,
              d.node_names, d.node_type_names, d.node_type);
}

template <class A>
void archive(A& a, ParsedDataset& p) {
  archive_all(a, p.dataset, p.splits, p.num_duplicates, p.num_self_loops, p.features_are_default,
              p.notes);
}

}  // namespace

std::string serialise(const ParsedDataset& parsed, std::string_view key) {
  Writer writer;
  std::string key_text(key);
  archive(writer, key_text);
  archive(writer, const_cast<ParsedDataset&>(parsed));  // a writer only looks
  const std::string payload = writer.take();
  Writer whole;
  whole.raw(kMagic.data(), kMagic.size());
  const uint64_t size = payload.size(), sum = checksum(payload);
  whole.raw(&size, sizeof(size));
  whole.raw(&sum, sizeof(sum));
  whole.raw(payload.data(), payload.size());
  return whole.take();
}

std::optional<ParsedDataset> deserialise(std::string_view bytes, std::string_view key) {
  try {
    ByteReader header(bytes, "cache");
    if (header.take(kMagic.size(), "magic") != kMagic) return std::nullopt;
    const auto size = header.read<uint64_t>("size"), sum = header.read<uint64_t>("checksum");
    const std::string_view payload = bytes.substr(kHeaderBytes);
    if (size != payload.size() || sum != checksum(payload)) return std::nullopt;
    Reader reader(payload);
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
