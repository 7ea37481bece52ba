// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/block_model_fit.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <emgnn/base/draw_distinct.h>
#include <emgnn/base/error.h>
#include <emgnn/base/philox_blocks.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

constexpr double kPrior = 0.001;         // how strongly the prior pulls φ and θ to 0
constexpr int64_t kLeastShare = 10;      // of a batch is not linked to a node: one in so many
constexpr int64_t kNodesAtATime = 8;     // of a thread
constexpr int64_t kPairsAtATime = 4096;  // whose sums are added up in order

// p of links, 1 − p of pairs without one.
double as_seen(bool linked, double p) { return linked ? p : 1.0 - p; }

// How many communities there are, known when compiled where they are few: loops over them unroll.
template <size_t kKnown>
struct Width {
  explicit Width(size_t width) : width_(width) {}
  size_t operator()() const { return kKnown > 0 ? kKnown : width_; }

 private:
  size_t width_;
};

template <class Body>
void with_width(size_t width, const Body& body) {
  switch (width) {
    case 2:
      return body(Width<2>(width));
    case 3:
      return body(Width<3>(width));
    case 4:
      return body(Width<4>(width));
    case 5:
      return body(Width<5>(width));
    case 6:
      return body(Width<6>(width));
    case 7:
      return body(Width<7>(width));
    default:
      return body(Width<0>(width));
  }
}

// Σ_k π_ak c_k with c_k = p_k π_bk + q (1 − π_bk): what is seen of a pair has this probability.
template <class Width>
double seen_probability(Width width, const double* a, const double* b, const double* inside,
                        double cross, double* c) {
  double sum = 0.0;
  for (size_t k = 0; k < width(); ++k) {
    c[k] = cross + (inside[k] - cross) * b[k];
    sum += a[k] * c[k];
  }
  return std::max(sum, kLeastProbability);
}

std::vector<double> all_as_seen(bool linked, std::span<const double> strengths) {
  std::vector<double> out;
  for (const double beta : strengths) out.push_back(as_seen(linked, beta));
  return out;
}

double stepped(double parameter, double epsilon, double slope) {
  return std::max(std::abs(parameter + 0.5 * epsilon * (slope - kPrior * parameter)),
                  kLeastParameter);
}

// The sum over pieces of `total` things of what `of_piece(begin, end)` says of each, in order.
std::vector<double> sum_of_pieces(
    int64_t total, size_t width,
    const std::function<std::vector<double>(int64_t, int64_t)>& of_piece) {
  const int64_t count = (total + kPairsAtATime - 1) / kPairsAtATime;
  std::vector<std::vector<double>> each(static_cast<size_t>(count));
  parallel_for(count, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = piece * kPairsAtATime;
      each[static_cast<size_t>(piece)] = of_piece(begin, std::min(total, begin + kPairsAtATime));
    }
  });
  std::vector<double> sum(width);
  for (const std::vector<double>& one : each)
    for (size_t k = 0; k < width; ++k) sum[k] += one[k];
  return sum;
}

std::vector<double> meetings_of_all(std::span<const double> pi, std::span<const double> beta,
                                    double cross, bool linked, std::span<const NodePair> pairs) {
  return sum_of_pieces(static_cast<int64_t>(pairs.size()), beta.size(),
                       [&](int64_t begin, int64_t end) {
                         const auto count = static_cast<size_t>(end - begin);
                         return expected_meetings(pi, beta, cross, linked,
                                                  pairs.subspan(static_cast<size_t>(begin), count));
                       });
}

std::vector<NodePair> all_non_links(const LinkSet& set) {
  std::vector<NodePair> out;
  for (int32_t i = 0; i < set.graph().num_rows; ++i)
    for (int32_t j = i + 1; j < set.graph().num_rows; ++j)
      if (!set.contains(i, j)) out.push_back({i, j});
  return out;
}

// Nodes of a graph, each as likely as the others, by the blocks of a generator: the high half of a
// product, unless the low half falls into what is left of 2^32 (Lemire 2019).
class DrawnNodes {
 public:
  DrawnNodes(const Rng& rng, int32_t num_nodes)
      : key_{static_cast<uint32_t>(rng.seed()), static_cast<uint32_t>(rng.seed() >> 32)},
        counter_{0, static_cast<uint32_t>(rng.step()), static_cast<uint32_t>(rng.step() >> 32),
                 rng.stream_word()},
        num_nodes_(static_cast<uint32_t>(num_nodes)),
        rest_(-num_nodes_ % num_nodes_) {}

  int32_t next() {
    while (true) {
      if (used_ == 4 * blocks_.size()) refill();
      const uint64_t product = uint64_t{blocks_[used_ / 4][used_ % 4]} * num_nodes_;
      ++used_;
      if (static_cast<uint32_t>(product) >= rest_) return static_cast<int32_t>(product >> 32);
    }
  }

 private:
  void refill() {
    philox_blocks(counter_, key_, blocks_);
    counter_[0] += static_cast<uint32_t>(blocks_.size());
    used_ = 0;
  }

  std::array<uint32_t, 2> key_;
  PhiloxBlock counter_;
  std::array<PhiloxBlock, 16> blocks_;
  size_t used_ = 4 * blocks_.size();
  uint32_t num_nodes_, rest_;
};

}  // namespace

// With c_bk of partner b: φ_ak ∂ log Z_ab/∂φ_ak = π_ak (c_bk / Z_ab − 1).
std::vector<double> membership_slope(std::span<const double> memberships,
                                     std::span<const double> strengths, double cross, int32_t node,
                                     const Partners& partners) {
  std::vector<double> sum(strengths.size()), c(strengths.size());
  const double weights = static_cast<double>(partners.links.size()) +
                         partners.weight * static_cast<double>(partners.others.size());
  with_width(strengths.size(), [&](auto width) {
    const double* a = memberships.data() + static_cast<size_t>(node) * width();
    const auto add = [&](std::span<const int32_t> nodes, bool linked, double weight) {
      const std::vector<double> inside = all_as_seen(linked, strengths);
      for (const int32_t other : nodes) {
        const double* b = memberships.data() + static_cast<size_t>(other) * width();
        const double scale =
            weight / seen_probability(width, a, b, inside.data(), as_seen(linked, cross), c.data());
        for (size_t k = 0; k < width(); ++k) sum[k] += scale * c[k];
      }
    };
    add(partners.links, true, 1.0);
    add(partners.others, false, partners.weight);
    for (size_t k = 0; k < width(); ++k) sum[k] = a[k] * (sum[k] - weights);
  });
  return sum;
}

std::vector<double> expected_meetings(std::span<const double> memberships,
                                      std::span<const double> strengths, double cross, bool linked,
                                      std::span<const NodePair> pairs) {
  const std::vector<double> inside = all_as_seen(linked, strengths);
  std::vector<double> sum(strengths.size()), c(strengths.size());
  with_width(strengths.size(), [&](auto width) {
    for (const auto [u, v] : pairs) {
      const double* a = memberships.data() + static_cast<size_t>(u) * width();
      const double* b = memberships.data() + static_cast<size_t>(v) * width();
      const double scale =
          1.0 / seen_probability(width, a, b, inside.data(), as_seen(linked, cross), c.data());
      for (size_t k = 0; k < width(); ++k) sum[k] += scale * a[k] * b[k];
    }
    for (size_t k = 0; k < width(); ++k) sum[k] *= inside[k];
  });
  return sum;
}

// Σ_links r_k (1 − β_k) − Σ_others r_k β_k
std::vector<double> strength_slope(std::span<const double> strengths,
                                   std::span<const double> linked, std::span<const double> others) {
  std::vector<double> out;
  for (size_t k = 0; k < strengths.size(); ++k)
    out.push_back((1.0 - strengths[k]) * linked[k] - strengths[k] * others[k]);
  return out;
}

BlockModelFit::BlockModelFit(Csr graph, const BlockFitOptions& options)
    : set_(std::move(graph)), options_(options), links_(undirected_edges(set_.graph())) {
  const auto n = static_cast<int64_t>(set_.graph().num_rows);
  num_non_links_ = n * (n - 1) / 2 - static_cast<int64_t>(links_.size());
  if (n <= options.batch) non_links_ = all_non_links(set_);
}

void BlockModelFit::step(BlockModel& model, double epsilon, uint64_t seed, uint64_t number) const {
  EMGNN_DCHECK(model.num_nodes() == graph().num_rows);
  const uint64_t of_iteration =
      Rng(seed, Stream::kBlockModel, number, BlockDraw::kNodes).next_u64();
  step_memberships(model, epsilon, of_iteration);
  step_strengths(model, epsilon, of_iteration);
}

std::vector<int32_t> BlockModelFit::nodes(uint64_t of_iteration) const {
  const auto n = static_cast<uint64_t>(graph().num_rows);
  const uint64_t count = std::min(n, static_cast<uint64_t>(options_.batch));
  std::vector<int32_t> out(count);
  if (count == n) {
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  const auto drawn =
      draw_distinct(n, count, Rng(of_iteration, Stream::kBlockModel, 0, BlockDraw::kNodes));
  std::copy(drawn.begin(), drawn.end(), out.begin());
  std::sort(out.begin(), out.end());
  return out;
}

Partners BlockModelFit::partners(int32_t node, uint64_t of_iteration) const {
  Partners out{.links = graph().row(node).col, .others = {}};
  const auto degree = static_cast<int64_t>(out.links.size());
  const int64_t all = graph().num_rows - 1 - degree;
  const int64_t wanted =
      std::max({options_.batch - degree, options_.batch / kLeastShare, int64_t{1}});
  if (wanted >= all) {
    for (int32_t b = 0; b < graph().num_rows; ++b)
      if (b != node && !set_.contains(node, b)) out.others.push_back(b);
    return out;
  }
  DrawnNodes drawn(
      Rng(of_iteration, Stream::kBlockModel, static_cast<uint64_t>(node), BlockDraw::kPartners),
      graph().num_rows);
  while (static_cast<int64_t>(out.others.size()) < wanted) {
    const int32_t b = drawn.next();
    if (b != node && !set_.contains(node, b)) out.others.push_back(b);
  }
  out.weight = static_cast<double>(all) / static_cast<double>(wanted);
  return out;
}

// All nodes move at once: each sees the others as they were.
void BlockModelFit::step_memberships(BlockModel& model, double epsilon,
                                     uint64_t of_iteration) const {
  const std::vector<double> pi = model.memberships(), beta = model.strengths();
  const std::vector<int32_t> drawn = nodes(of_iteration);
  const size_t width = beta.size();
  parallel_for(static_cast<int64_t>(drawn.size()), kNodesAtATime, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const int32_t a = drawn[i];
      const std::vector<double> slope =
          membership_slope(pi, beta, model.cross, a, partners(a, of_iteration));
      double* phi = model.phi.data() + static_cast<size_t>(a) * width;
      for (size_t k = 0; k < width; ++k) phi[k] = stepped(phi[k], epsilon, slope[k]);
    }
  });
}

std::vector<NodePair> BlockModelFit::drawn_non_links(int64_t count, const Rng& rng) const {
  DrawnNodes drawn(rng, graph().num_rows);
  std::vector<NodePair> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size();) {  // a pair that is refused is overwritten
    const int32_t a = drawn.next(), b = drawn.next();
    const int32_t u = std::min(a, b);
    out[i] = {u, a ^ b ^ u};
    i += a != b && !set_.contains(a, b) ? 1 : 0;
  }
  return out;
}

std::vector<double> BlockModelFit::meetings_of_others(std::span<const double> pi,
                                                      std::span<const double> beta, double cross,
                                                      uint64_t of_iteration) const {
  if (graph().num_rows <= options_.batch)
    return meetings_of_all(pi, beta, cross, /*linked=*/false, non_links_);
  if (num_non_links_ == 0) return std::vector<double>(beta.size());
  const auto wanted = std::max(
      int64_t{1}, static_cast<int64_t>(options_.non_links * static_cast<double>(num_non_links_)));
  std::vector<double> out = sum_of_pieces(wanted, beta.size(), [&](int64_t begin, int64_t end) {
    const Rng rng(of_iteration, Stream::kBlockModel, static_cast<uint64_t>(begin),
                  BlockDraw::kPairs);
    return expected_meetings(pi, beta, cross, /*linked=*/false, drawn_non_links(end - begin, rng));
  });
  for (double& r : out) r *= static_cast<double>(num_non_links_) / static_cast<double>(wanted);
  return out;
}

void BlockModelFit::step_strengths(BlockModel& model, double epsilon, uint64_t of_iteration) const {
  const std::vector<double> pi = model.memberships(), beta = model.strengths();
  const std::vector<double> slope =
      strength_slope(beta, meetings_of_all(pi, beta, model.cross, /*linked=*/true, links_),
                     meetings_of_others(pi, beta, model.cross, of_iteration));
  for (size_t k = 0; k < slope.size(); ++k) {
    model.theta[2 * k] = stepped(model.theta[2 * k], epsilon, -slope[k]);
    model.theta[2 * k + 1] = stepped(model.theta[2 * k + 1], epsilon, slope[k]);
  }
}

}  // namespace emgnn
