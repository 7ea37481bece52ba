// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/block_model_graph.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/base/threads.h>
#include <emgnn/graph/node_pair.h>

namespace emgnn {

namespace {

constexpr double kLinksOfAPiece = 4096.0;  // expected ones of what one thread does at a time

// The pairs of nodes inside a community, or between two, which are linked alike.
struct Block {
  std::span<const int32_t> first, second;  // the same for the pairs inside
  double p = 0.0;

  bool inside() const { return first.data() == second.data(); }
  uint64_t num_pairs() const {
    const uint64_t n = first.size(), m = second.size();
    return inside() ? n * (n - (n > 0 ? 1 : 0)) / 2 : n * m;
  }

  // By its rank. Inside, the pairs i < j are ordered by j: rank j (j − 1) / 2 + i.
  NodePair pair(uint64_t rank) const {
    uint64_t i = rank % second.size(), j = rank / second.size();
    if (inside()) {
      j = static_cast<uint64_t>((1.0 + std::sqrt(1.0 + 8.0 * static_cast<double>(rank))) / 2.0);
      while (j * (j - 1) / 2 > rank) --j;  // the root was rounded
      while (j * (j + 1) / 2 <= rank) ++j;
      i = rank - j * (j - 1) / 2;
    }
    const int32_t u = second[i], v = first[j];
    return {std::min(u, v), std::max(u, v)};
  }
};

// Some of the pairs of a block, by rank.
struct Piece {
  const Block* block;
  uint64_t begin, end;
};

std::vector<std::vector<int32_t>> nodes_by_community(std::span<const int32_t> community,
                                                     size_t count) {
  std::vector<std::vector<int32_t>> out(count);
  for (size_t i = 0; i < community.size(); ++i)
    out[static_cast<size_t>(community[i])].push_back(static_cast<int32_t>(i));
  return out;
}

std::vector<Piece> pieces_of(const std::vector<Block>& blocks) {
  std::vector<Piece> out;
  for (const Block& block : blocks) {
    const uint64_t total = block.num_pairs();
    if (total == 0 || block.p <= 0.0) continue;
    const double length = std::min(std::ceil(kLinksOfAPiece / block.p), 9e18);
    const auto step = static_cast<uint64_t>(length);
    for (uint64_t begin = 0; begin < total; begin += std::min(step, total - begin))
      out.push_back({&block, begin, begin + std::min(step, total - begin)});
  }
  return out;
}

// From one link to the next: the pairs passed over are geometric, P(m or more) = (1 − p)^m.
std::vector<NodePair> links_of(const Piece& piece, Rng rng) {
  std::vector<NodePair> out;
  const double log_miss = std::log1p(-piece.block->p);
  for (uint64_t rank = piece.begin;; ++rank) {
    const double passed = std::floor(std::log1p(-rng.uniform()) / log_miss);
    if (!(passed < static_cast<double>(piece.end - rank))) return out;
    rank += static_cast<uint64_t>(passed);
    if (rank >= piece.end) return out;
    out.push_back(piece.block->pair(rank));
  }
}

void check_size(const std::vector<Block>& blocks) {
  double expected = 0.0;
  for (const Block& block : blocks) expected += block.p * static_cast<double>(block.num_pairs());
  EMGNN_CHECK(2.2 * expected + 1e6 < std::numeric_limits<int32_t>::max(),
              "a graph of the block model would have too many links", expected);
}

Csr graph_of(int32_t num_nodes, const std::vector<std::vector<NodePair>>& parts) {
  Coo coo;
  for (const std::vector<NodePair>& part : parts) {
    for (const auto [u, v] : part) {
      coo.row.insert(coo.row.end(), {u, v});
      coo.col.insert(coo.col.end(), {v, u});
    }
  }
  return csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst);
}

}  // namespace

Csr sample_graph(std::span<const int32_t> community, std::span<const double> strengths,
                 double cross, uint64_t seed, uint64_t draw) {
  const auto nodes = nodes_by_community(community, strengths.size());
  std::vector<Block> blocks;
  for (size_t k = 0; k < nodes.size(); ++k)
    for (size_t l = 0; l <= k; ++l)
      blocks.push_back({nodes[k], nodes[l], k == l ? strengths[k] : cross});
  check_size(blocks);
  const std::vector<Piece> pieces = pieces_of(blocks);
  std::vector<std::vector<NodePair>> links(pieces.size());
  const uint64_t of_draw = Rng(seed, Stream::kBlockModel, draw, BlockDraw::kGraph).next_u64();
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      links[i] = links_of(pieces[i], Rng(of_draw, Stream::kBlockModel, i, BlockDraw::kGraph));
  });
  return graph_of(static_cast<int32_t>(community.size()), links);
}

Csr sample_graph(const BlockModel& model, uint64_t seed, uint64_t draw) {
  return sample_graph(communities_of(model.memberships(), model.num_communities), model.strengths(),
                      model.cross, seed, draw);
}

}  // namespace emgnn
