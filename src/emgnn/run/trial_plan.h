// SPDX-License-Identifier: Apache-2.0
// How far candidates are trained before the worse half of them is dropped, within a share of what the
// cheapest of them takes. Work is counted in multiplications, not in seconds: the plan is the same on
// every machine. No LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/graph_facts.h>

namespace emgnn {

struct TrialCost {
  double epoch = 0.0;  // of one epoch of a trial
  double full = 0.0;   // of a run to its end
  int64_t epochs = 0;  // of that run
};

struct Rung {
  size_t candidates = 0;  // that take part
  int64_t epochs = 0;     // each of them has been trained for, from its beginning
};

// Successive halving: each rung has half the candidates of the one before, the last has two, or as
// many as there are. Whoever survives, all rungs together cost at most `share` of the cheapest full
// run. Nothing: there is one candidate, or not enough work to tell them apart.
std::vector<Rung> plan_rungs(std::span<const TrialCost> costs, double share);

// Of a run with these settings on such a graph; `trial` are the settings of its trials.
TrialCost cost_of(const std::map<std::string, std::string>& run,
                  const std::map<std::string, std::string>& trial, const GraphFacts& facts);

}  // namespace emgnn
