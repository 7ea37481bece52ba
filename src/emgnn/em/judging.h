// SPDX-License-Identifier: Apache-2.0
// How many graphs are judged: all, unless that would take longer than training on them.
#pragma once

#include <cstdint>
#include <vector>

#include <emgnn/em/options.h>
#include <emgnn/learn/problem.h>

namespace emgnn {

struct JudgingPlan {
  int64_t graphs = 0;             // of an E-step
  int64_t validation_graphs = 0;  // of a validation
  bool limited = false;           // by em.judging
};

// Most losses that a posterior is sampled from.
inline constexpr int64_t kMostSampled = 1024;

// What an E-step would do without a limit.
struct Judging {
  int64_t graphs = 0;
  bool sampled = false;  // from a fit of some losses
  int64_t every = 1;     // epochs between validations
};

// With w the work of the problems, summed over them: an epoch of gradient steps takes 3 draws w
// (forward and twice as much backward), an E-step of k graphs k w, a validation stop.graphs w. E-steps
// with less than 2 · 10⁹ are taken as they are, and so is em.posterior=exact. Otherwise the E-step of a
// round, and its validations, may each take em.judging times the work of its gradient steps. Sizes
// alone decide: the same on every machine.
JudgingPlan plan_judging(const Problem::Work& work, const EmOptions& em, const Judging& whole);

// At most `most` points (at least 1) that stand for all, ascending: up to half of them from those whose
// coordinates all are the smallest or the largest, such as a view alone or the graph as given, the others
// at equal distances in the order of their numbers.
std::vector<int64_t> spread_points(const ParameterSpace& space, int64_t most);

}  // namespace emgnn
