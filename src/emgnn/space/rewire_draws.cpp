// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire_draws.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

constexpr int64_t kPairGrain = 4096;
constexpr int64_t kMaxPoints = 1 << 24;           // substreams of the generator
constexpr uint64_t kCandidateOrder = UINT64_MAX;  // a step that belongs to no pair

void check_candidates(const RewireGraph& graph) {
  const Csr& a = graph.adjacency;
  for (size_t k = 0; k < graph.candidates.size(); ++k) {
    const auto [u, v] = graph.candidates[k];
    EMGNN_CHECK(u >= 0 && u < v && v < a.num_rows,
                "a candidate edge is a pair of nodes in ascending order",
                fmt::format("{}, {}", u, v));
    EMGNN_CHECK(k == 0 || graph.candidates[k - 1] < graph.candidates[k],
                "candidate edges ascend, each once", fmt::format("{}, {}", u, v));
    const auto row = a.col.begin();
    EMGNN_CHECK(!std::binary_search(row + a.rowptr[static_cast<size_t>(u)],
                                    row + a.rowptr[static_cast<size_t>(u) + 1], v),
                "a candidate edge is no edge of the graph", fmt::format("{}, {}", u, v));
  }
}

// share[k] / mean(share), or all ones where no shares are given.
std::vector<double> relative_rates(const std::vector<double>& share, size_t count,
                                   const char* what) {
  if (share.empty()) return std::vector<double>(count, 1.0);
  EMGNN_CHECK(share.size() == count, fmt::format("expected {} values of {}", count, what),
              share.size());
  for (double x : share)
    EMGNN_CHECK(x >= 0.0 && x <= 1.0, fmt::format("{} lies in [0, 1]", what), x);
  const double mean = std::accumulate(share.begin(), share.end(), 0.0) / static_cast<double>(count);
  std::vector<double> out = share;
  for (double& x : out) x = mean > 0.0 ? x / mean : 0.0;
  return out;
}

std::vector<double> factors(const RewireGraph& graph, size_t num_edges) {
  std::vector<double> doubt(graph.confidence.begin(), graph.confidence.end());
  for (double& x : doubt) x = 1.0 - x;
  std::vector<double> out = relative_rates(doubt, num_edges, "confidence");
  const std::vector<double> affinity = relative_rates(
      {graph.affinity.begin(), graph.affinity.end()}, graph.candidates.size(), "affinity");
  out.insert(out.end(), affinity.begin(), affinity.end());
  return out;
}

}  // namespace

RewireGrid::RewireGrid(const RewireOptions& options)
    : points_(options.grid),
      draws_(options.draws),
      max_drop_(options.max_drop),
      max_add_(options.max_add) {
  EMGNN_CHECK(points_ >= 2 && draws_ >= 1, "a rewire grid needs two points per axis and one draw",
              points_);
  EMGNN_CHECK(size() <= kMaxPoints, "too many graphs; lower space.grid or space.draws", size());
}

RewireGrid::Place RewireGrid::place(int64_t lam_id) const {
  EMGNN_CHECK(lam_id >= 0 && lam_id < size(), "no such point of the rewire grid", lam_id);
  return {lam_id / (points_ * points_), lam_id / points_ % points_, lam_id % points_};
}

int64_t RewireGrid::id(const Place& place) const {
  return (place.draw * points_ + place.drop) * points_ + place.add;
}

RewireDraws::RewireDraws(const RewireGraph& graph, const RewireOptions& options, uint64_t seed)
    : grid_(options), drawing_(options.drawing), seed_(seed) {
  EMGNN_CHECK(is_symmetric(graph.adjacency), "only an undirected graph can be rewired",
              fmt::format("{} directed edges", graph.adjacency.num_entries()));
  check_candidates(graph);
  pairs_ = undirected_edges(graph.adjacency);
  num_edges_ = static_cast<int64_t>(pairs_.size());
  EMGNN_CHECK(2 * num_edges_ == graph.adjacency.num_entries(),
              "a graph to rewire has no self loops",
              graph.adjacency.num_entries() - 2 * num_edges_);
  factor_ = factors(graph, pairs_.size());
  pairs_.insert(pairs_.end(), graph.candidates.begin(), graph.candidates.end());
  if (nested()) {
    draw_nested();
    return;
  }
  EMGNN_CHECK(graph.confidence.empty() && graph.affinity.empty(),
              "space.drawing=authors drops and adds all edges alike; set space.confidence and "
              "space.affinity to none",
              "a prior");
  draw_by_authors();
}

void RewireDraws::draw_nested() {
  const int64_t points = grid_.points();
  for (int64_t draw = 0; draw < grid_.draws(); ++draw) {
    std::vector<int32_t> level(pairs_.size());
    parallel_for(static_cast<int64_t>(pairs_.size()), kPairGrain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const auto k = static_cast<size_t>(p);
        const double u = uniform_of(pairs_[k].u, pairs_[k].v, seed_, Stream::kRewire,
                                    static_cast<uint32_t>(draw));
        int64_t first = 0;
        while (first < points &&
               u >= factor_[k] * (p < num_edges_ ? grid_.drop_rate(first) : grid_.add_rate(first)))
          ++first;
        level[k] = static_cast<int32_t>(first);
      }
    });
    level_.push_back(std::move(level));
  }
}

// Each direction of an edge is deleted by itself and either one keeps the edge; a whole number of
// candidates is drawn without replacement.
void RewireDraws::draw_by_authors() {
  const auto num_edges = static_cast<size_t>(num_edges_);
  held_.resize(static_cast<size_t>(grid_.size()));
  parallel_for(grid_.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t id = begin; id < end; ++id) {
      const auto substream = static_cast<uint32_t>(id);
      const double drop = grid_.drop_rate(grid_.place(id).drop);
      std::vector<bool> held(pairs_.size(), false);
      for (size_t e = 0; e < num_edges; ++e) {
        const auto [u, v] = pairs_[e];
        held[e] = uniform_of(u, v, seed_, Stream::kRewire, substream) >= drop ||
                  uniform_of(v, u, seed_, Stream::kRewire, substream) >= drop;
      }
      std::vector<size_t> order(pairs_.size() - num_edges);
      std::iota(order.begin(), order.end(), num_edges);
      Rng rng(seed_, Stream::kRewire, kCandidateOrder, substream);
      const auto count = static_cast<size_t>(
          std::llround(rate(grid_.place(id).add, num_edges_) * static_cast<double>(order.size())));
      for (size_t k = 0; k < count; ++k) {
        std::swap(order[k], order[k + rng.below(order.size() - k)]);
        held[order[k]] = true;
      }
      held_[static_cast<size_t>(id)] = std::move(held);
    }
  });
}

bool RewireDraws::holds(int64_t lam_id, int64_t pair) const {
  if (!nested()) return held_[static_cast<size_t>(lam_id)][static_cast<size_t>(pair)];
  const RewireGrid::Place place = grid_.place(lam_id);
  const int32_t from = level(place.draw, pair);
  return pair < num_edges_ ? place.drop < from : place.add >= from;
}

bool RewireDraws::ever_holds(int64_t pair) const {
  if (pair < num_edges_) return true;
  const auto k = static_cast<size_t>(pair);
  if (!nested()) return std::any_of(held_.begin(), held_.end(), [&](auto& h) { return h[k]; });
  return std::any_of(level_.begin(), level_.end(),
                     [&](const auto& level) { return level[k] < grid_.points(); });
}

double RewireDraws::rate(int64_t level, int64_t pair) const {
  const bool is_edge = pair < num_edges_;
  const double lam = is_edge ? grid_.drop_rate(level) : grid_.add_rate(level);
  if (nested()) {
    const double changed = std::min(1.0, factor_[static_cast<size_t>(pair)] * lam);
    return is_edge ? 1.0 - changed : changed;
  }
  if (is_edge) return 1.0 - lam * lam;
  // ⌊λ₂ |E'|⌋ of |E'|; λ₂ is a multiple of the step only up to rounding.
  const double candidates = static_cast<double>(pairs_.size()) - static_cast<double>(num_edges_);
  return candidates > 0.0 ? std::floor(lam * candidates + 1e-9) / candidates : 0.0;
}

RewireDraws::Expected RewireDraws::expected(std::span<const int64_t> lam_ids,
                                            std::span<const double> p) const {
  const auto points = static_cast<size_t>(grid_.points()),
             draws = static_cast<size_t>(grid_.draws());
  // The mass of each level of the two axes, and per draw.
  std::vector<double> mass[2] = {std::vector<double>(points), std::vector<double>(points)};
  std::vector<double> mass_of_draw[2] = {std::vector<double>(draws * points),
                                         std::vector<double>(draws * points)};
  for (size_t i = 0; i < lam_ids.size(); ++i) {
    const RewireGrid::Place place = grid_.place(lam_ids[i]);
    const size_t level[2] = {static_cast<size_t>(place.drop), static_cast<size_t>(place.add)};
    for (size_t axis = 0; axis < 2; ++axis) {
      mass[axis][level[axis]] += p[i];
      mass_of_draw[axis][static_cast<size_t>(place.draw) * points + level[axis]] += p[i];
    }
  }
  Expected out{std::vector<double>(pairs_.size()), std::vector<double>(pairs_.size())};
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const auto pair = static_cast<int64_t>(k);
    const size_t axis = pair < num_edges_ ? 0 : 1;
    for (size_t l = 0; l < points; ++l)
      out.rate[k] += mass[axis][l] * rate(static_cast<int64_t>(l), pair);
    for (size_t draw = 0; nested() && draw < draws; ++draw) {
      const auto from = static_cast<size_t>(level(static_cast<int64_t>(draw), pair));
      for (size_t l = axis == 0 ? 0 : from; l < (axis == 0 ? from : points); ++l)
        out.held[k] += mass_of_draw[axis][draw * points + l];
    }
    for (size_t i = 0; !nested() && i < lam_ids.size(); ++i)
      out.held[k] += holds(lam_ids[i], pair) ? p[i] : 0.0;
  }
  return out;
}

}  // namespace emgnn
