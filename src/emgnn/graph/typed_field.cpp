// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/typed_field.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

constexpr int32_t kAbsent = -1;
constexpr int64_t kRowGrain = 256;
constexpr int64_t kEntryGrain = 1 << 14;

// The place of each node among some rows, kAbsent for all others. It outlives a call, so that a small
// field of a large graph costs no more than the field.
class PlaceTable {
 public:
  explicit PlaceTable(int32_t num_nodes) : place_(table()) {
    if (place_.size() < static_cast<size_t>(num_nodes))
      place_.assign(static_cast<size_t>(num_nodes), kAbsent);
  }
  ~PlaceTable() { forget(); }
  PlaceTable(const PlaceTable&) = delete;
  PlaceTable& operator=(const PlaceTable&) = delete;

  // False: it was there.
  bool add(int32_t node) {
    int32_t& place = place_[static_cast<size_t>(node)];
    if (place != kAbsent) return false;
    place = 0;
    rows_.push_back(node);
    return true;
  }
  int32_t at(int32_t node) const { return place_[static_cast<size_t>(node)]; }
  const std::vector<int32_t>& rows() const { return rows_; }  // in the order added, or sorted

  // Ascending, and numbers them.
  void sort(int32_t num_nodes) {
    constexpr size_t kFewer =
        16;  // of so many nodes one: sorting them is faster than a look at all
    if (rows_.size() < static_cast<size_t>(num_nodes) / kFewer) {
      std::sort(rows_.begin(), rows_.end());
    } else {
      rows_.clear();
      for (int32_t i = 0; i < num_nodes; ++i)
        if (place_[static_cast<size_t>(i)] != kAbsent) rows_.push_back(i);
    }
    for (size_t k = 0; k < rows_.size(); ++k)
      place_[static_cast<size_t>(rows_[k])] = static_cast<int32_t>(k);
  }
  std::vector<int32_t> forget() {
    for (int32_t row : rows_) place_[static_cast<size_t>(row)] = kAbsent;
    return std::exchange(rows_, {});
  }

 private:
  static std::vector<int32_t>& table() {
    thread_local std::vector<int32_t> place;
    return place;
  }

  std::vector<int32_t>& place_;
  std::vector<int32_t> rows_;
};

// k of 0, .., d - 1, ascending: Floyd's algorithm, or for many one look at each.
void draw_places(int64_t d, int64_t k, Rng& rng, std::vector<int32_t>& out) {
  constexpr int64_t kFew = 64;
  out.clear();
  if (k > kFew) {
    for (int64_t i = 0; i < d && k > 0; ++i) {
      if (static_cast<int64_t>(rng.below(static_cast<uint64_t>(d - i))) >= k) continue;
      out.push_back(static_cast<int32_t>(i));
      --k;
    }
    return;
  }
  for (int64_t last = d - k; last < d; ++last) {
    auto drawn = static_cast<int32_t>(rng.below(static_cast<uint64_t>(last) + 1));
    if (std::find(out.begin(), out.end(), drawn) != out.end()) drawn = static_cast<int32_t>(last);
    out.push_back(drawn);
  }
  std::sort(out.begin(), out.end());
}

// How one hop reads its rows.
class RowReader {
 public:
  RowReader(const TypedGraph& graph, const FieldSample* sample, int hop)
      : graph_(graph), sample_(sample), hop_(hop), limit_(std::numeric_limits<int64_t>::max()) {
    if (sample == nullptr) return;
    const size_t at = std::min(static_cast<size_t>(hop), sample->fanout.size() - 1);
    const auto relations = static_cast<int64_t>(graph.relations.size());
    limit_ = (sample->fanout[at] + relations - 1) / relations;
  }

  // Entries that the row may have, with the diagonal.
  int64_t most(int32_t node) const {
    int64_t out = 1;
    for (const Relation& relation : graph_.relations)
      out += std::min(limit_, static_cast<int64_t>(relation.adjacency.row(node).col.size()));
    return out;
  }

  struct Scratch {
    std::vector<int32_t> places;
    std::vector<std::pair<int32_t, int32_t>> found;  // column; relation, or -1 for the diagonal
    std::vector<float> value;                        // of each of them, before sorting
    std::vector<int32_t> order;
  };

  // Writes the row's columns and, of each relation, what it has there; the number of columns.
  int64_t read(int32_t node, Scratch& s, int32_t* col, std::span<float* const> weight) const {
    s.found.clear();
    s.value.clear();
    put(s, node, -1, 0.0F);
    for (size_t t = 0; t < graph_.relations.size(); ++t) read_relation(node, t, s);
    s.order.resize(s.found.size());
    std::iota(s.order.begin(), s.order.end(), 0);
    std::sort(s.order.begin(), s.order.end(), [&](int32_t a, int32_t b) {
      return s.found[static_cast<size_t>(a)] < s.found[static_cast<size_t>(b)];
    });
    int64_t count = 0;
    for (const int32_t k : s.order) {
      const auto [j, relation] = s.found[static_cast<size_t>(k)];
      if (count == 0 || col[count - 1] != j) {
        for (float* w : weight) w[count] = 0.0F;
        col[count++] = j;
      }
      if (relation >= 0)
        weight[static_cast<size_t>(relation)][count - 1] = s.value[static_cast<size_t>(k)];
    }
    return count;
  }

 private:
  static void put(Scratch& s, int32_t node, int32_t relation, float value) {
    s.found.emplace_back(node, relation);
    s.value.push_back(value);
  }

  void read_relation(int32_t node, size_t t, Scratch& s) const {
    const Csr& a = graph_.relations[t].adjacency;
    const CsrRow row = a.row(node);
    const auto degree = static_cast<int64_t>(row.col.size());
    const auto type = static_cast<int32_t>(t);
    if (degree <= limit_) {
      for (const auto [e, j] : row) put(s, j, type, a.value(e));
      return;
    }
    Rng rng(sample_->seed, Stream::kFanout,
            sample_->step << 32 | static_cast<uint64_t>(static_cast<uint32_t>(node)),
            static_cast<uint32_t>(hop_) << 12 | static_cast<uint32_t>(t & 0xFFF));
    draw_places(degree, limit_, rng, s.places);
    const float scale = static_cast<float>(degree) / static_cast<float>(limit_);
    for (const int32_t place : s.places)
      put(s, row.col[static_cast<size_t>(place)], type, scale * a.value(row.begin_entry + place));
  }

  const TypedGraph& graph_;
  const FieldSample* sample_;
  int hop_;
  int64_t limit_;  // of one relation
};

// Columns as node ids, and the weights beside them.
void read_rows(const TypedGraph& graph, const RowReader& reader, TypedHop& out) {
  const std::vector<int32_t>& rows = out.hop.output_rows;
  const auto n = static_cast<int64_t>(rows.size());
  const size_t relations = graph.relations.size();
  std::vector<int64_t> begin(rows.size() + 1, 0), count(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) begin[i + 1] = begin[i] + reader.most(rows[i]);
  EMGNN_CHECK(begin.back() <= std::numeric_limits<int32_t>::max(),
              "a receptive field holds at most 2^31 - 1 entries", begin.back());
  std::vector<int32_t> col(static_cast<size_t>(begin.back()));
  std::vector<std::vector<float>> weight(relations, std::vector<float>(col.size()));
  parallel_for(n, kRowGrain, [&](int64_t first, int64_t last) {
    RowReader::Scratch scratch;
    std::vector<float*> to(relations);
    for (int64_t i = first; i < last; ++i) {
      const auto at = static_cast<size_t>(i);
      for (size_t t = 0; t < relations; ++t) to[t] = weight[t].data() + begin[at];
      count[at] = reader.read(rows[at], scratch, col.data() + begin[at], to);
    }
  });
  // Rows that share columns between relations are shorter: they move together.
  Csr& pattern = out.hop.pattern;
  pattern.rowptr.assign(rows.size() + 1, 0);
  int32_t* rowptr = pattern.rowptr.data();
  for (size_t i = 0; i < rows.size(); ++i) {
    const int32_t to = rowptr[i];
    if (to != begin[i]) {
      std::copy_n(col.begin() + begin[i], count[i], col.begin() + to);
      for (std::vector<float>& w : weight)
        std::copy_n(w.begin() + begin[i], count[i], w.begin() + to);
    }
    rowptr[i + 1] = to + static_cast<int32_t>(count[i]);
  }
  const auto entries = static_cast<size_t>(rowptr[rows.size()]);
  col.resize(entries);
  for (std::vector<float>& w : weight) w.resize(entries);
  pattern.col = std::move(col);
  out.weight = std::move(weight);
}

void add_all(int32_t num_nodes, PlaceTable& places) {
  for (int32_t i = 0; i < num_nodes; ++i) places.add(i);
}

TypedHop hop_into(const TypedGraph& graph, std::vector<int32_t> rows, const RowReader& reader,
                  bool from_all) {
  TypedHop out;
  Hop& hop = out.hop;
  hop.output_rows = std::move(rows);
  read_rows(graph, reader, out);
  PlaceTable places(graph.num_nodes);
  if (from_all) add_all(graph.num_nodes, places);
  for (const int32_t j : std::as_const(hop.pattern.col)) places.add(j);
  places.sort(graph.num_nodes);
  hop.pattern.num_rows = static_cast<int32_t>(hop.output_rows.size());
  hop.pattern.num_cols = static_cast<int32_t>(places.rows().size());
  int32_t* col = hop.pattern.col.data();
  parallel_for(hop.pattern.num_entries(), kEntryGrain, [&](int64_t first, int64_t last) {
    for (int64_t e = first; e < last; ++e) col[e] = places.at(col[e]);
  });
  for (const int32_t i : hop.output_rows) hop.self.push_back(places.at(i));
  hop.input_rows = places.forget();
  return out;
}

void check_targets(const TypedGraph& graph, std::span<const int32_t> targets) {
  PlaceTable seen(graph.num_nodes);
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k] < 0 || targets[k] >= graph.num_nodes)
      throw UsageError(
          fmt::format("target {}: node {} is outside [0, {})", k, targets[k], graph.num_nodes));
    if (!seen.add(targets[k]))
      throw UsageError(fmt::format("target {}: node {} was given before", k, targets[k]));
  }
}

}  // namespace

std::vector<TypedHop> typed_field(const TypedGraph& graph, std::span<const int32_t> targets,
                                  int num_hops, const FieldSample* sample) {
  EMGNN_CHECK(num_hops >= 0, "the number of hops cannot be negative", num_hops);
  EMGNN_CHECK(sample == nullptr || !sample->fanout.empty(), "a sample needs a fan-out",
              sample == nullptr ? 0 : sample->fanout.size());
  check_targets(graph, targets);
  std::vector<int32_t> rows(targets.begin(), targets.end());
  std::vector<TypedHop> hops;
  const bool whole = num_hops == kWholeGraph;
  for (int k = 0; k < (whole ? 2 : num_hops); ++k) {
    hops.push_back(hop_into(graph, std::move(rows), RowReader(graph, sample, k), whole));
    rows = hops.back().hop.input_rows;
  }
  std::reverse(hops.begin(), hops.end());
  return hops;
}

int64_t typed_field_entries(const TypedGraph& graph, std::span<const int32_t> targets, int num_hops,
                            int64_t limit) {
  const RowReader reader(graph, nullptr, 0);
  PlaceTable seen(graph.num_nodes);
  for (const int32_t row : targets) seen.add(row);
  int64_t total = 0;
  const bool whole = num_hops == kWholeGraph;
  for (int k = 0; k < (whole ? 2 : num_hops); ++k) {
    const std::vector<int32_t> rows = seen.rows();  // of all hops so far: each holds the next
    for (const int32_t row : rows) {
      total += reader.most(row);
      if (total > limit) return total;
    }
    for (const int32_t row : rows)
      for (const Relation& relation : graph.relations)
        for (const int32_t j : relation.adjacency.row(row).col) seen.add(j);
    if (whole) add_all(graph.num_nodes, seen);
  }
  return total;
}

}  // namespace emgnn
