// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/graph_rank.h>

#include <emgnn/learn/rank_correlation.h>

namespace emgnn {

GraphRank rank_graphs(Learner& learner, const Data& data, const Task& task, const Poll& poll) {
  const double sign = task.main_score().higher_is_better ? 1.0 : -1.0;
  std::vector<double> liked, good;
  for (const JudgedGraph& graph : learner.judge_graphs(data.split().test, poll)) {
    liked.push_back(-graph.loss);
    good.push_back(sign * graph.score);
  }
  return {.graphs = static_cast<int64_t>(liked.size()), .correlation = spearman(liked, good)};
}

}  // namespace emgnn
