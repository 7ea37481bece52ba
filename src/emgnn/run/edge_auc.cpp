// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/edge_auc.h>

#include <set>

#include <emgnn/learn/metrics.h>

namespace emgnn {

std::optional<double> edge_auc(std::span<const EdgeProbability> edges, const TypedGraph& graph,
                               std::span<const EdgeChange> perturbation) {
  std::set<NodePair> unseen;
  for (const NodePair& edge : undirected_edges(joined(graph))) unseen.insert(edge);
  std::set<NodePair> random;
  for (const EdgeChange& change : perturbation)
    if (change.added) random.insert(change.pair);
  RankedScores scores;
  for (const auto& [edge, p] : edges)
    if (unseen.erase(edge) > 0) scores.add(p, !random.contains(edge));
  const std::optional<RankScores> ranks = rank_scores(std::move(scores));
  return ranks ? std::optional(ranks->roc_auc) : std::nullopt;
}

}  // namespace emgnn
